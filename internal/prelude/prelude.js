// The guest's side of an engine without a native object API worth using. One
// expression: a function that an engine's context calls once, before any code of
// the guest, with the dispatcher into Go and the text of a spec. What it returns
// never reaches the guest. See doc.go for the contract.
//
// Rules for everything below. Guest code may have replaced any built-in by the time
// that a function here runs, so nothing is looked up on an object that the guest
// can reach: built-ins are captured and called through apply; lists that are built
// here have no prototype; members are only assigned where an own member is already
// there. No object made here is handed to guest code but those that are its own.
(function (host, specText) {
'use strict';

const CHARGE = 0, CALL = 1, START = 2, AUTHOR = 3, NOW = 4, RANDOM = 5, LIMIT = 6, PLACE = 7;
const NODES = 0, DEPTH = 1, BYTES = 2;

const global = globalThis;
const { apply, construct, defineProperty, deleteProperty, getOwnPropertyDescriptor, getPrototypeOf, preventExtensions, setPrototypeOf } = Reflect;
const { create, freeze, keys: keysOf } = Object;
const { isArray } = Array;
const { parse, stringify } = JSON;
const NativeArray = Array, NativeBigInt = BigInt, NativeDate = Date, NativeError = Error, NativeNumber = Number, NativeString = String;
const NativePromise = Promise, Bytes = Uint8Array, Buffer = ArrayBuffer;
const ObjectProto = Object.prototype, ArrayProto = Array.prototype, FunctionProto = Function.prototype, DateProto = Date.prototype, ErrorProto = Error.prototype;
const { fromCharCode } = String;
const { charCodeAt, includes, slice } = String.prototype;
const { floor } = Math;
const bigToString = NativeBigInt.prototype.toString, dateGetTime = DateProto.getTime, dateToString = DateProto.toString, functionToString = FunctionProto.toString;
const { forEach: mapForEach } = Map.prototype, { forEach: setForEach } = Set.prototype;
const getterOf = (o, name) => getOwnPropertyDescriptor(o, name).get;

// own makes a Map or WeakMap whose methods no guest can replace.
const own = (Type) => {
  const m = new Type(), { get, set, delete: remove } = Type.prototype;
  setPrototypeOf(m, null);
  m.get = get; m.set = set; m.remove = remove;
  return m;
};

// Bare makes arrays whose prototype has nothing: no setter of the guest sees what
// is put in, no toJSON what is written out.
const Bare = function () {};
Bare.prototype = freeze(create(null));
const nothing = freeze([]);
const list = () => construct(NativeArray, nothing, Bare);
const special = (tag, payload) => {
  const l = list();
  l[0] = tag;
  l[1] = payload;
  return { __proto__: null, '': l };
};

// Natives: functions that show themselves as built-ins do.

const natives = own(WeakMap); // function -> name
const native = (f, name, length) => {
  defineProperty(f, 'name', { __proto__: null, value: name, configurable: true });
  defineProperty(f, 'length', { __proto__: null, value: length, configurable: true });
  natives.set(f, name);
  return f;
};
const method = (o, name, f, length) =>
  defineProperty(o, name, { __proto__: null, value: native(f, name, length), writable: true, configurable: true });

const RESERVED = '__ringfence_meter';
const functionsShowTheAuthorsText = () => {
  method(FunctionProto, 'toString', { toString() {
    const name = natives.get(this);
    if (name !== undefined) return 'function ' + name + '() { [native code] }';
    const text = apply(functionToString, this, nothing);
    return apply(includes, text, [RESERVED]) ? host(AUTHOR, text) : text;
  } }.toString, 0);
};

// Encoding: a value becomes a copy of plain data, and that JSON. The copy is made
// here, in one walk under the limits; JSON.stringify then meets no code of the
// guest, and is the fastest writer that there is.

let limits; // [nodes, depth, bytes]
const budget = () => ({ nodes: limits[0], depth: limits[1], bytes: limits[2], left: null });
const displayBudget = () => ({ nodes: 10000, depth: 64, bytes: 1 << 18, left: null });
const over = (s, which) => {
  s.left = which;
  throw s;
};
const text = (v, s) => {
  if ((s.bytes -= v.length) < 0) over(s, BYTES);
  return v;
};
const number = (v) => v !== v ? special('n', 'NaN') : v === 0 ? special('n', '-0') : special('n', v > 0 ? 'Infinity' : '-Infinity');

// convert returns undefined for what has no form.
const convert = (v, key, depth, s, json) => {
  switch (typeof v) {
    case 'string': return text(v, s);
    case 'number': return v - v !== 0 || v === 0 && 1 / v < 0 ? number(v) : v;
    case 'boolean': return v;
    case 'object': return v === null ? null : isArray(v) ? array(v, depth, s) : object(v, key, depth, s, json);
    case 'bigint': return special('i', text(apply(bigToString, v, [16]), s));
  }
};

const enter = (depth, s) => { if (depth >= s.depth) over(s, DEPTH); };

const array = (o, depth, s) => {
  let n = o.length;
  if (typeof n !== 'number') n = NativeNumber(n);
  n = n > 0 ? floor(n) : 0;
  const out = list();
  if (n === 0) return out;
  enter(depth, s);
  if (n > s.nodes) over(s, NODES);
  s.nodes -= n;
  for (let i = 0; i < n; i++) {
    const v = convert(o[i], i, depth + 1, s, true);
    out[i] = v === undefined ? null : v;
  }
  return out;
};

const object = (o, key, depth, s, json) => {
  for (let p = getPrototypeOf(o); p !== null && p !== ObjectProto; p = getPrototypeOf(p)) {
    const kind = kinds.get(p);
    if (kind === undefined) continue;
    const v = kind(o, depth, s);
    if (v !== kinds) return v;
    break;
  }
  const toJSON = o.toJSON;
  if (toJSON === undefined) {
    const copy = { ...o, toJSON: undefined };
    const names = keysOf(copy);
    return members(copy, names, names.length - 1, depth, s);
  }
  if (json && typeof toJSON === 'function') return convert(apply(toJSON, o, [NativeString(key)]), key, depth, s, false);
  const copy = { __proto__: null, ...o };
  const names = keysOf(copy);
  return members(copy, names, names.length, depth, s);
};

// members converts the first n members of a copy in place.
const members = (copy, names, n, depth, s) => {
  let odd = false, empty = true;
  for (let i = 0; i < n; i++) {
    const k = names[i], v = copy[k];
    switch (typeof v) {
      case 'undefined': case 'function': case 'symbol':
        copy[k] = undefined;
        continue;
    }
    if (empty) {
      empty = false;
      enter(depth, s);
    }
    if (--s.nodes < 0) over(s, NODES);
    if ((s.bytes -= k.length) < 0) over(s, BYTES);
    if (k === '') odd = true;
    const c = convert(v, k, depth + 1, s, true);
    if (c !== v) copy[k] = c;
  }
  if (!odd) return copy;
  const flat = list();
  for (let i = 0, j = 0; i < n; i++) {
    const v = copy[names[i]];
    if (v === undefined) continue;
    flat[j++] = names[i];
    flat[j++] = v;
  }
  return special('m', flat);
};

// entries converts members that are given as two lists.
const entries = (names, values, depth, s) => {
  const flat = list();
  for (let i = 0, j = 0; i < names.length; i++) {
    const v = values[i];
    if (v === undefined || typeof v === 'function' || typeof v === 'symbol') continue;
    if (j === 0) enter(depth, s);
    if (--s.nodes < 0) over(s, NODES);
    text(names[i], s);
    const c = convert(v, names[i], depth + 1, s, true);
    if (c === undefined) continue;
    flat[j++] = names[i];
    flat[j++] = c;
  }
  return special('m', flat);
};

const words = (v) => typeof v === 'object' && v !== null ? NativeString(v) : v;
const error = (o, depth, s) => {
  const names = list(), values = list();
  names[0] = 'name'; names[1] = 'message'; names[2] = 'cause';
  values[0] = words(o.name); values[1] = words(o.message); values[2] = o.cause;
  return entries(names, values, depth, s);
};

const bytes = (buffer, offset, n, s) => {
  if ((s.bytes -= n) < 0) over(s, BYTES);
  let out = '';
  for (let i = 0; i < n; i += 4096) {
    const part = new Bytes(buffer, offset + i, n - i < 4096 ? n - i : 4096);
    defineProperty(part, 'length', { __proto__: null, value: n - i < 4096 ? n - i : 4096 });
    out += apply(fromCharCode, undefined, part);
  }
  return special('b', out);
};

// kinds leads from the prototypes of the built-in kinds to their conversions. A
// conversion returns kinds itself for an object that only inherits from one. It
// reads internal slots, whatever the guest made of the object's members.
const kinds = own(Map);
const slot = (get, o) => {
  try { return apply(get, o, nothing); } catch { return kinds; }
};
const kind = (proto, read, make) => kinds.set(proto, (o, depth, s) => {
  const v = slot(read, o);
  return v === kinds ? v : make(v, o, depth, s);
});
const sizes = { map: getterOf(Map.prototype, 'size'), set: getterOf(Set.prototype, 'size') };
kind(Map.prototype, sizes.map, (n, o, depth, s) => {
  const names = list(), values = list();
  let i = 0, strings = true;
  apply(mapForEach, o, [(v, k) => {
    names[i] = k;
    values[i++] = v;
    if (typeof k !== 'string') strings = false;
  }]);
  if (strings) return entries(names, values, depth, s);
  enter(depth, s);
  if (n > s.nodes) over(s, NODES);
  s.nodes -= n;
  for (let j = 0; j < i; j++) {
    const pair = list();
    pair[0] = names[j];
    pair[1] = values[j];
    names[j] = array(pair, depth + 1, s);
  }
  return names;
});
kind(Set.prototype, sizes.set, (n, o, depth, s) => {
  const values = list();
  let i = 0;
  apply(setForEach, o, [(v) => { values[i++] = v; }]);
  return array(values, depth, s);
});
kind(DateProto, dateGetTime, (ms) => ms !== ms ? null : special('d', ms));
kinds.set(ErrorProto, error);
kind(String.prototype, String.prototype.valueOf, (v, o, depth, s) => text(v, s));
for (const Type of [Number, Boolean, BigInt]) kind(Type.prototype, Type.prototype.valueOf, (v, o, depth, s) => convert(v, '', depth, s, true));
kind(Symbol.prototype, Symbol.prototype.valueOf, () => undefined);
kinds.set(Promise.prototype, () => null);
for (const name of ['WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry']) {
  if (global[name]) kinds.set(global[name].prototype, () => undefined);
}
kind(Buffer.prototype, getterOf(Buffer.prototype, 'byteLength'), (n, o, depth, s) => bytes(o, 0, n, s));
for (const proto of [getPrototypeOf(Bytes.prototype), DataView.prototype]) {
  const buffer = getterOf(proto, 'buffer'), offset = getterOf(proto, 'byteOffset'), length = getterOf(proto, 'byteLength');
  kind(proto, buffer, (b, o, depth, s) => {
    const n = slot(length, o); // of a DataView on a detached buffer it throws
    return n === kinds || n === 0 ? special('b', '') : bytes(b, apply(offset, o, nothing), n, s);
  });
}

// attempt runs an encoding and ends the run where it passed a limit.
const encode = (v) => {
  const s = budget();
  try {
    const c = convert(v, '', 0, s, true);
    return c === undefined ? 'null' : stringify(c);
  } catch (e) {
    return refuse(e, s);
  }
};
const encodeAll = (args) => {
  const s = budget(), out = list();
  try {
    for (let i = 0; i < args.length; i++) {
      const c = convert(args[i], '', 0, s, true);
      out[i] = c === undefined ? null : c;
    }
    return stringify(out);
  } catch (e) {
    return refuse(e, s);
  }
};
const refuse = (e, s) => {
  if (e === s) host(LIMIT, s.left, limits[s.left]);
  throw e;
};

// Decoding: JSON.parse, and where the text has escapes, a walk that replaces them.
// A message is a character that says what it is, and a text.

const decode = (message) => {
  const v = parse(apply(slice, message, [1]));
  return message[0] === '~' ? revive(v) : v;
};
const revive = (x) => {
  if (typeof x !== 'object' || x === null) return x;
  if (isArray(x)) {
    for (let i = 0; i < x.length; i++) x[i] = revive(x[i]);
    return x;
  }
  const names = keysOf(x);
  if (names.length === 1 && names[0] === '') return unescape(x[''][0], x[''][1]);
  for (let i = 0; i < names.length; i++) x[names[i]] = revive(x[names[i]]);
  return x;
};
const unescape = (tag, payload) => {
  switch (tag) {
    case 'n': return NativeNumber(payload);
    case 'i': return payload[0] === '-' ? -NativeBigInt('0x' + apply(slice, payload, [1])) : NativeBigInt('0x' + payload);
    case 'd': return new NativeDate(payload);
    case 'b': {
      const n = payload.length, b = new Bytes(n);
      for (let i = 0; i < n; i++) b[i] = apply(charCodeAt, payload, [i]);
      return b;
    }
    case 'm': {
      const o = {};
      for (let i = 0; i < payload.length; i += 2) {
        defineProperty(o, payload[i], { __proto__: null, value: revive(payload[i + 1]), writable: true, enumerable: true, configurable: true });
      }
      return o;
    }
  }
};
const freezeAll = (x) => {
  if (typeof x !== 'object' || x === null) return x;
  const proto = getPrototypeOf(x);
  if (proto !== ObjectProto && proto !== ArrayProto) return preventExtensions(x), x; // its inside no freezing reaches
  const names = keysOf(x);
  for (let i = 0; i < names.length; i++) freezeAll(x[names[i]]);
  return freeze(x);
};

// Errors.

const hostErrors = own(WeakMap); // error object -> the host's number for it
const standard = { __proto__: null, Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError };
// failure makes the error of a message [number, name, message]; 0 is the guest's own.
const failure = (message) => {
  const parts = parse(apply(slice, message, [1]));
  const id = parts[0], name = parts[1];
  const Type = standard[name];
  const e = Type === undefined ? new NativeError(parts[2]) : new Type(parts[2]);
  if (Type === undefined) defineProperty(e, 'name', { __proto__: null, value: name, writable: true, configurable: true });
  if (id !== 0) hostErrors.set(e, id);
  return e;
};

const isError = (v) => {
  for (let p = getPrototypeOf(v); p !== null; p = getPrototypeOf(p)) if (p === ErrorProto) return true;
  return false;
};
const textOf = (v, missing) => v === undefined ? missing : NativeString(v);

// display is the text of a value as a person would read it: 't' and the text, or
// 'v' and a value whose text the host writes.
const display = (v) => {
  if (typeof v !== 'object' && typeof v !== 'function' || v === null) return 't' + NativeString(v);
  const s = displayBudget();
  try {
    if (typeof v === 'function') {
      const name = v.name;
      return typeof name === 'string' && name !== '' ? 'tfunction ' + name : 'tfunction';
    }
    if (isError(v)) {
      const name = textOf(v.name, 'Error'), message = textOf(v.message, '');
      return 't' + (name === '' ? message : message === '' ? name : name + ': ' + message);
    }
    const c = convert(v, '', 0, s, true);
    return 'v' + (c === undefined ? 'null' : stringify(c));
  } catch {
    return 't[object Object]';
  }
};

// describe takes the parts of a thrown value: JSON of [is an Error, name, message
// as display gives it, stack, the host's number].
const describe = (v) => {
  const out = list();
  out[0] = false; out[1] = ''; out[2] = 't(a thrown value that cannot be read)'; out[3] = ''; out[4] = 0;
  if (typeof v !== 'object' && typeof v !== 'function' || v === null) {
    out[2] = display(v);
    return stringify(out);
  }
  out[4] = hostErrors.get(v) || 0;
  try { out[0] = isError(v); } catch {}
  try {
    // Not by a getter: the stack is the engine's own, or none.
    const d = getOwnPropertyDescriptor(v, 'stack');
    if (d !== undefined && typeof d.value === 'string') out[3] = d.value;
  } catch {}
  if (out[0]) {
    out[1] = 'Error';
    try { out[1] = textOf(v.name, 'Error') || 'Error'; } catch {}
    try { out[2] = 't' + textOf(v.message, ''); } catch {}
    return stringify(out);
  }
  try {
    const shown = NativeString(v);
    out[2] = shown === '[object Object]' ? display(v) : 't' + shown;
  } catch {}
  return stringify(out);
};

// Host objects.

const calls = own(Map); // number of an asynchronous call -> its promise's functions

const received = (message) => {
  if (message[0] === '!') throw failure(message);
  return decode(message);
};
const shown = (args) => {
  const out = list();
  for (let i = 0; i < args.length; i++) out[i] = display(args[i]);
  return stringify(out);
};
const SYNC = 0, ASYNC = 1, SHOW = 2;
const hostFunction = (h, id, name, how) => native(
  how === SYNC ? { f(...args) { return received(host(CALL, h, id, encodeAll(args))); } }.f :
  how === SHOW ? { f(...args) { return received(host(CALL, h, id, shown(args))); } }.f :
  { f(...args) {
    const encoded = encodeAll(args); // what this throws is thrown, as by any function
    return new NativePromise((resolve, reject) => {
      const message = host(START, h, id, encoded);
      if (message[0] === '!') reject(failure(message));
      else calls.set(message, { __proto__: null, resolve, reject });
    });
  } }.f, name, 0);
const hostTree = (h, fields, consts, o) => {
  for (let i = 0; i < fields.length; i++) {
    const f = fields[i];
    let v;
    if (f.c !== undefined) v = freezeAll(consts[f.c]);
    else {
      v = f.f === undefined ? create(null) : hostFunction(h, f.f, f.n, f.h);
      hostTree(h, f.m || nothing, consts, v);
    }
    // A function's own name and length go before a field's.
    const d = getOwnPropertyDescriptor(o, f.n);
    if (d === undefined) defineProperty(o, f.n, { __proto__: null, value: v, enumerable: true });
  }
  return freeze(o);
};

// Clock and random source of the run.

const useTheRunsClock = () => {
  const now = () => host(NOW);
  const Wrapped = function Date(...args) {
    if (new.target === undefined) return apply(dateToString, new NativeDate(now()), nothing);
    return construct(NativeDate, args.length === 0 ? [now()] : args, new.target);
  };
  native(Wrapped, 'Date', 7);
  defineProperty(Wrapped, 'prototype', { __proto__: null, value: DateProto, writable: false });
  method(Wrapped, 'now', { now() { return now(); } }.now, 0);
  for (const name of ['parse', 'UTC']) defineProperty(Wrapped, name, getOwnPropertyDescriptor(NativeDate, name));
  defineProperty(DateProto, 'constructor', { __proto__: null, value: Wrapped, writable: true, configurable: true });
  defineProperty(global, 'Date', { __proto__: null, value: Wrapped, writable: true, configurable: true });
  method(Math, 'random', { random() { return host(RANDOM); } }.random, 0);
};

// The stack that a script sees has its own frames, at the author's places. The
// hook is V8's; the guest can neither replace it nor learn from it: it reads
// frames by the engine's own methods, and what it is given otherwise has none.
const showTheAuthorsStack = () => {
  let read; // methods of the engine's call sites, captured with the first
  const line = (site) => {
    if (apply(read.getScriptNameOrSourceURL, site, nothing) !== scriptName) return '';
    const place = host(PLACE, apply(read.getLineNumber, site, nothing), apply(read.getColumnNumber, site, nothing));
    if (place === '') return '';
    const name = apply(read.getFunctionName, site, nothing);
    return '\n    at ' + (name ? name + ' (' + spec.name + ':' + place + ')' : spec.name + ':' + place);
  };
  const hook = native({ prepareStackTrace(error, sites) {
    let head = 'Error';
    try { head = NativeString(error); } catch {}
    let lines = '';
    try {
      for (let i = 0; i < sites.length; i++) lines += line(sites[i]);
    } catch {}
    return head + lines;
  } }.prepareStackTrace, 'prepareStackTrace', 2);
  NativeError.prepareStackTrace = (error, sites) => {
    const proto = getPrototypeOf(sites[0]);
    read = { __proto__: null };
    for (const name of ['getScriptNameOrSourceURL', 'getLineNumber', 'getColumnNumber', 'getFunctionName']) read[name] = proto[name];
    return '';
  };
  new NativeError('').stack;
  defineProperty(NativeError, 'prepareStackTrace', {
    __proto__: null,
    get: native(() => hook, 'get prepareStackTrace', 0),
    set: native(() => {}, 'set prepareStackTrace', 1),
  });
  if (read === undefined) deleteProperty(NativeError, 'prepareStackTrace');
};

const spec = parse(specText);
limits = spec.limits;
const scriptName = spec.script;
const meter = (n) => host(CHARGE, n);
for (let i = 0; i < spec.forbidden.length; i++) deleteProperty(global, spec.forbidden[i]);
functionsShowTheAuthorsText();
useTheRunsClock();
if (spec.stackHook) showTheAuthorsStack();
const data = decode(spec.globals);
for (const name of keysOf(data)) {
  defineProperty(global, name, { __proto__: null, value: data[name], writable: true, enumerable: true, configurable: true });
}
for (let i = 0; i < spec.host.length; i++) {
  const h = spec.host[i];
  defineProperty(global, h.name, { __proto__: null, value: hostTree(i, h.fields, decode(h.consts), create(null)), writable: true, configurable: true });
}
let vars = null;
for (const name of spec.vars) {
  const d = getOwnPropertyDescriptor(global, name);
  if (d === undefined) continue;
  if (vars === null) vars = create(null);
  vars[name] = global[name];
}

let value;
return {
  __proto__: null,
  // run evaluates a program, given what its text evaluates to: '' where that went
  // well, else '!' and what was thrown.
  run(outer) {
    try {
      value = outer(meter, vars, null)();
      return '';
    } catch (e) {
      return '!' + describe(e);
    }
  },
  // value is what the script came to: a promise, perhaps.
  value() { return value; },
  // encode gives '=' and a value's text, or '!' and what was thrown meanwhile.
  encode(v) {
    try {
      return '=' + encode(v);
    } catch (e) {
      return '!' + describe(e);
    }
  },
  describe,
  // settle brings the result of an asynchronous call.
  settle(call, message) {
    const p = calls.get(call);
    if (p === undefined) return;
    calls.remove(call);
    if (message[0] === '!') p.reject(failure(message));
    else p.resolve(decode(message));
  },
};
})
