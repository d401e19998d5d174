// The colours are those of the system until the button in the header is pressed. This script runs
// before the page is drawn, so that it is never drawn in the other colours first.
{
  const system = matchMedia("(prefers-color-scheme: dark)"), key = "endwise.dark";
  let chosen = null, rule;
  try {
    rule = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules]).find(r => /scheme: dark/.test(r.conditionText));
    chosen = JSON.parse(localStorage.getItem(key));
  } catch { /* a file, or no storage */ }
  const show = () => {
    rule.media.mediaText = chosen ? "all" : "not all";
    document.documentElement.style.colorScheme = chosen ? "dark" : "light";
  };
  if (rule && chosen !== null) show();
  addEventListener("click", ({target}) => {
    if (!rule || target.id !== "dark") return;
    chosen = !(chosen ?? system.matches);
    show();
    try { localStorage.setItem(key, chosen); } catch { /* full or forbidden */ }
  });
}
