// A game for whoever has no record at hand.
export const example = `game: dotsandboxes
start: 4x4 h0000/0000/0000/0000/0000 v00000/00000/00000/00000 0-0 1
player_1: Ada
player_2: Bert
winner: 1
score: 14-2
end: played

${("h2,1 h0,0 v1,1 h2,3 v3,2 v0,1 v2,0 h0,2 h3,2 v3,4 v3,0 h0,3 " +
  "v2,1 h4,0 v1,3 v2,2 h3,1 v0,4 h4,3 h1,2 v3,1 h3,0 h4,1 h2,0 " +
  "h0,1 h1,1 v1,2 v0,2 h2,2 v0,3 h1,3 v2,3 v1,4 h1,0 v0,0 v1,0 " +
  "h3,3 v2,4 v3,3 h4,2 ").trim().replaceAll(" ", "\n")}
`;
