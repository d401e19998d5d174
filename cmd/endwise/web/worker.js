// The worker of the static site: it runs the program (program.bin), provides the files of
// the store written next to it (gzip), and answers one request at a time.
const files = new Map(); // by path: files that the program may read
const opened = new Map(); // by descriptor: {path, data}
let descriptors = 3;

const folders = path => [...new Set([...files.keys()].filter(f => f.startsWith(`${path}/`)).map(f => f.slice(path.length + 1).split("/")[0]))];
const failure = code => Object.assign(new Error(code), {code});

function found(path) {
  const data = files.get(path), directory = !data && folders(path).length > 0;
  if (!data && !directory) throw failure("ENOENT");
  const size = data ? data.length : 0, mode = directory ? 0o40555 : 0o100444;
  return {path, data, stat: {
    dev: 0, ino: 0, mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size, blksize: 4096, blocks: 0, atimeMs: 0, mtimeMs: 0, ctimeMs: 0,
    isDirectory: () => directory,
  }};
}

// call calls a callback with the result or the error of work.
const call = (callback, work) => {
  let result;
  try { result = work(); } catch (error) { callback(error); return; }
  callback(null, result);
};

const decoder = new TextDecoder();
globalThis.fs = {
  constants: {O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_TRUNC: 512, O_APPEND: 1024, O_EXCL: 128, O_DIRECTORY: 65536},
  writeSync(_, bytes) {
    console.log(decoder.decode(bytes));
    return bytes.length;
  },
  write(fd, bytes, offset, length, position, callback) { callback(null, this.writeSync(fd, bytes)); },
  open(path, flags, mode, callback) {
    call(callback, () => {
      if (flags & 3) throw failure("EROFS");
      opened.set(++descriptors, found(path));
      return descriptors;
    });
  },
  close(fd, callback) { call(callback, () => { opened.delete(fd); }); },
  stat(path, callback) { call(callback, () => found(path).stat); },
  lstat(path, callback) { call(callback, () => found(path).stat); },
  fstat(fd, callback) { call(callback, () => opened.get(fd).stat); },
  readdir(path, callback) { call(callback, () => folders(path)); },
  read(fd, buffer, offset, length, position, callback) {
    call(callback, () => {
      const file = opened.get(fd), from = position ?? (file.at || 0);
      const part = file.data.subarray(from, from + length);
      buffer.set(part, offset);
      file.at = from + part.length;
      return part.length;
    });
  },
};
for (const name of ["mkdir", "rename", "unlink", "rmdir", "chmod", "fsync", "ftruncate", "truncate", "utimes", "link", "symlink", "readlink"]) {
  globalThis.fs[name] = (...args) => args.at(-1)(failure("EROFS"));
}

importScripts("wasm_exec.js");

let ready, store;

// start runs the program, which calls endwiseReady when it accepts requests.
async function start(module) {
  const go = new Go();
  const answering = new Promise(done => { globalThis.endwiseReady = done; });
  store = await (await fetch("../store/files.json")).json();
  go.run(await WebAssembly.instantiate(module, go.importObject)).then(() => { throw new Error("The program has ended."); });
  await answering;
}

// load fetches the files of a game, or of all games.
async function load(game) {
  const names = store[game] || Object.values(store).flat();
  await Promise.all(names.filter(name => !files.has(`/store/${name}`)).map(async name => {
    const response = await fetch(`../store/${name}`);
    if (!response.ok) throw new Error(`${name} is missing: the site is incomplete.`);
    const unzipped = response.body.pipeThrough(new DecompressionStream("gzip"));
    files.set(`/store/${name}`, new Uint8Array(await new Response(unzipped).arrayBuffer()));
  }));
}

onmessage = async ({data: {module, what, params, body = ""}}) => {
  if (module) {
    ready = start(module);
    return;
  }
  try {
    await ready;
    if (!what.endsWith("/view")) await load(what.split("/")[0]);
    globalThis.endwiseAsk(what, params, body, (kind, text) => postMessage({kind, value: JSON.parse(text)}));
  } catch (error) {
    postMessage({kind: "error", value: error.message});
  }
};
