// The worker that fetches and compiles the program of the static site. It is packed
// as LZMA, which browsers can't unpack by themselves: .lzma files, as xz reads and
// writes them. Decoded are bits, each by a probability that learns, and of them
// literal bytes and copies of what was there before.

// unpack decodes a .lzma file that states its length.
function unpack(data) {
  const lc = data[0] % 9, lp = Math.floor(data[0] / 9) % 5, pb = Math.floor(data[0] / 45);
  const out = new Uint8Array(new DataView(data.buffer, data.byteOffset).getUint32(5, true));
  const bits = n => new Uint16Array(n).fill(1024); // probabilities of a 0, of 2048
  const literals = bits(0x300 << (lc + lp)), isMatch = bits(12 << 4), isRep = bits(12), isRep0 = bits(12), isRep0Long = bits(12 << 4), isRep1 = bits(12), isRep2 = bits(12);
  const lengths = () => ({choice: bits(2), low: bits(16 << 3), mid: bits(16 << 3), high: bits(256)});
  const matchLength = lengths(), repLength = lengths(), slots = bits(4 << 6), special = bits(128), align = bits(16);
  const coder = new Int32Array([-1, 0]); // range and code: unsigned 32 bits
  let at = 14, n = 0;
  for (; at < 18; at++) coder[1] = coder[1] << 8 | data[at];
  at = 18;

  const grow = () => {
    if (coder[0] >>> 24 !== 0) return;
    coder[0] <<= 8;
    coder[1] = coder[1] << 8 | data[at++];
  };
  const bit = (probabilities, i) => {
    const p = probabilities[i], bound = Math.imul(coder[0] >>> 11, p), one = coder[1] >>> 0 >= bound >>> 0;
    if (one) {
      coder[0] -= bound;
      coder[1] -= bound;
      probabilities[i] = p - (p >> 5);
    } else {
      coder[0] = bound;
      probabilities[i] = p + (2048 - p >> 5);
    }
    grow();
    return one ? 1 : 0;
  };
  // tree reads so many bits, the highest first, and reversed the lowest first; what
  // was read so far chooses the probability of the next.
  const tree = (probabilities, from, count) => {
    let m = 1;
    for (let i = 0; i < count; i++) m = m << 1 | bit(probabilities, from + m);
    return m - (1 << count);
  };
  const reversed = (probabilities, from, count) => {
    let m = 1, value = 0;
    for (let i = 0; i < count; i++) {
      const b = bit(probabilities, from + m);
      m = m << 1 | b;
      value |= b << i;
    }
    return value;
  };
  const direct = count => { // bits that are as often 0 as 1
    let value = 0;
    for (let i = 0; i < count; i++) {
      coder[0] = coder[0] >>> 1;
      const one = coder[1] >>> 0 >= coder[0] >>> 0;
      if (one) coder[1] -= coder[0];
      value = value << 1 | (one ? 1 : 0);
      grow();
    }
    return value;
  };
  const length = ({choice, low, mid, high}, place) => {
    if (!bit(choice, 0)) return 2 + tree(low, place << 3, 3);
    if (!bit(choice, 1)) return 10 + tree(mid, place << 3, 3);
    return 18 + tree(high, 0, 8);
  };
  const distance = count => {
    const slot = tree(slots, Math.min(count - 2, 3) << 6, 6), extra = (slot >> 1) - 1;
    if (slot < 4) return slot;
    const high = (2 | slot & 1) << extra;
    return slot < 14 ? high + reversed(special, high - slot, extra) : high + (direct(extra - 4) << 4) + reversed(align, 0, 4);
  };
  const literal = (state, rep) => {
    const before = n > 0 ? out[n - 1] : 0, from = 0x300 * (((n & (1 << lp) - 1) << lc) + (before >> 8 - lc));
    let m = 1;
    if (state >= 7) { // after a copy: the byte that would have followed it helps
      for (let other = out[n - rep - 1]; m < 0x100;) {
        const hint = other >> 7 & 1, b = bit(literals, from + (1 + hint << 8) + m);
        other <<= 1;
        m = m << 1 | b;
        if (b !== hint) break;
      }
    }
    while (m < 0x100) m = m << 1 | bit(literals, from + m);
    out[n++] = m;
  };

  // The state says of what kind the last steps were; reps are the last four distances.
  const reps = new Int32Array(4), use = (i, d) => { reps.copyWithin(1, 0, i); reps[0] = d; };
  let state = 0;
  while (n < out.length) {
    const place = n & (1 << pb) - 1, which = state << 4 | place;
    if (!bit(isMatch, which)) {
      literal(state, reps[0]);
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count = 1;
    if (!bit(isRep, state)) {
      count = length(matchLength, place);
      use(3, distance(count));
      state = state < 7 ? 7 : 10;
    } else {
      const again = !bit(isRep0, state) ? 0 : !bit(isRep1, state) ? 1 : 2 + bit(isRep2, state);
      use(again, reps[again]);
      const short = again === 0 && !bit(isRep0Long, which);
      if (!short) count = length(repLength, place);
      state = state < 7 ? short ? 9 : 8 : 11;
    }
    if (reps[0] < 0 || reps[0] >= n || count > out.length - n) throw new Error("The program is damaged: this site is not whole.");
    for (const end = n + count; n < end; n++) out[n] = out[n - reps[0] - 1];
  }
  return out;
}

// compiled is the program as a module. Where the service worker keeps the site's
// files, the unpacked program lies among them, under the digest of the packed one.
async function compiled(packed) {
  const kept = globalThis.caches && (await caches.keys()).find(name => name.startsWith(`endwise ${new URL("..", location)} `));
  if (!kept) return WebAssembly.compile(unpack(packed));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", packed)), key = `program.wasm?${digest.join(".")}`;
  const cache = await caches.open(kept), before = await cache.match(key);
  if (before) return WebAssembly.compileStreaming(before);
  const program = unpack(packed), wasm = new Response(program, {headers: {"Content-Type": "application/wasm"}});
  await cache.put(key, wasm).catch(() => {}); // there may be no room
  return WebAssembly.compile(program);
}

// load tells the page the share that has come, and at last the module.
async function load() {
  const response = await fetch("program.bin");
  if (!response.ok) throw new Error("The program is missing: this site is not whole.");
  const size = Number(response.headers.get("Content-Length"));
  let done = 0;
  const counted = new TransformStream({transform(chunk, out) {
    done += chunk.length;
    postMessage({share: size ? Math.min(0.99, done / size) : 0});
    out.enqueue(chunk);
  }});
  const packed = new Uint8Array(await new Response(response.body.pipeThrough(counted)).arrayBuffer());
  postMessage({share: 1});
  postMessage({module: await compiled(packed)});
}

load().catch(error => postMessage({error: error.message}));
