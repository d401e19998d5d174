// send sends a request to the server of the page: what is the path below v1/, params the
// query, body a position or record. The answer is one JSON object, or several, one per
// line; update is called with all except the last. While too many requests are waiting, the
// request is repeated after each of the delays.
export async function send(what, params, body, options) {
  for (const delay of DELAYS) {
    try {
      return await once(what, params, body, options);
    } catch (error) {
      if (error.cause !== 503) throw error;
    }
    await new Promise(done => setTimeout(done, delay));
  }
  return once(what, params, body, options);
}

const DELAYS = [500, 1000, 2000]; // in milliseconds

// once is send without repetition. The cause of an error is the HTTP status.
async function once(what, params = {}, body, {signal, update = () => {}} = {}) {
  const query = new URLSearchParams(params).toString();
  const options = body === undefined ? {signal} : {method: "POST", body, signal, headers: {"Content-Type": "text/plain"}};
  let response;
  try {
    response = await fetch(`v1/${what}${query && `?${query}`}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
  }
  let answer = null;
  try {
    for await (const text of lines(response.body)) {
      if (answer) update(answer);
      answer = JSON.parse(text);
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(error instanceof SyntaxError ? "The server's answer can't be read." : "The server stopped in the middle. Please try again.");
  }
  if (!response.ok || !answer || answer.error) throw new Error(answer && answer.error || `The server answered ${response.status}.`, {cause: response.status});
  return answer;
}

// lines returns the non-empty lines of a body.
async function* lines(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const {done, value = ""} = await reader.read();
    const parts = (rest + value).split("\n");
    rest = done ? "" : parts.pop();
    yield* parts.filter(part => part.trim());
    if (done) return;
  }
}
