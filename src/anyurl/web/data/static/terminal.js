// A terminal at a service: octets are what is typed and shown, a text is about the session.
"use strict";
{
  const MOST = 8192; // octets of one message; the gateway takes twice that
  const place = document.querySelector(".terminal");
  const said = document.getElementById("said");
  const leave = document.getElementById("leave");

  // The page's policy takes no style but ours: what xterm.js writes has to say that it belongs to this page.
  const create = document.createElement;
  document.createElement = (name, options) => {
    const made = create.call(document, name, options);
    if (String(name).toLowerCase() === "style") made.nonce = place.dataset.nonce;
    return made;
  };

  const terminal = new Terminal({
    fontFamily: '"DejaVu Sans Mono", monospace', fontSize: 15, scrollback: 2000, screenReaderMode: true,
    linkHandler: { activate() {} }, theme: { background: "#000000", foreground: "#e6e9ee" },
  });
  const fit = new FitAddon.FitAddon();
  terminal.loadAddon(fit);
  terminal.open(place);
  fit.fit();

  const address = new URL(place.dataset.socket, location.href);
  address.protocol = "ws:";
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  const send = (given) => { if (socket.readyState === WebSocket.OPEN) socket.send(given); };
  const tell = (what) => send(JSON.stringify(what));
  const size = () => tell({ columns: terminal.cols, rows: terminal.rows });
  let last = "The connection to the gateway was lost.";

  socket.onopen = () => { size(); terminal.focus(); };
  socket.onmessage = (event) => {
    if (typeof event.data === "string") last = event.data;
    else terminal.write(new Uint8Array(event.data), () => tell({ shown: event.data.byteLength }));
  };
  socket.onclose = () => {
    said.textContent = last;
    said.tabIndex = -1;
    said.focus();
    terminal.options.disableStdin = true;
    for (const button of document.querySelectorAll(".signals button")) button.disabled = true;
  };
  terminal.onData((text) => {
    const octets = new TextEncoder().encode(text);
    for (let start = 0; start < octets.length; start += MOST) send(octets.slice(start, start + MOST));
  });
  terminal.onResize(size);
  terminal.attachCustomKeyEventHandler((event) => {
    if (!(event.ctrlKey && event.key === "]")) return true;
    if (event.type === "keydown") leave.focus();
    return false;
  });
  new ResizeObserver(() => fit.fit()).observe(place);
  leave.addEventListener("click", () => { last = "You have hung up."; socket.close(); });
  for (const button of document.querySelectorAll("[data-signal]")) {
    button.addEventListener("click", () => { tell({ signal: button.dataset.signal }); terminal.focus(); });
  }
}
