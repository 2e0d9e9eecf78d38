// Makes some things nicer; everything works without it. It runs as soon as it is there, not after a page that comes slowly.
"use strict";
document.addEventListener("keydown", (event) => {
  const field = document.getElementById("address");
  const busy = !field || /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !busy && !event.ctrlKey && !event.metaKey && !event.altKey && !document.querySelector(".terminal")) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});
