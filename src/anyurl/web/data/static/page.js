// Makes some things nicer; everything works without it.
"use strict";
document.addEventListener("keydown", (event) => {
  const field = document.getElementById("address");
  const busy = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !busy && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector(".terminal")) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});
