// Forms: errors next to their fields, and buttons that work once a script runs.
import {byId} from "./site.js";

// complain shows an error next to its field, or clears it.
export function complain(field, text) {
  const place = byId(`${field.id}-error`);
  place.textContent = text || "";
  place.hidden = !text;
  if (text) place.scrollIntoView({block: "nearest"});
  if (text) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
}

// ready enables the buttons of a form when a script handles them.
export const ready = form => { for (const b of form.querySelectorAll("button")) b.disabled = false; };
