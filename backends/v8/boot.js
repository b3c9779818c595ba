// What V8 needs beside the shared prelude. One expression: a function that a context
// calls once, before any code of the guest, with the dispatcher, the prelude's
// function, the prelude's spec, and the names of the built-ins that the script can
// reach among those that are guarded here. It returns what the host uses.
//
// The same rules as in the prelude: no built-in is looked up again once the guest
// has run, and nothing made here reaches it but the guarded built-ins.
(function (host, prelude, spec, names) {
'use strict';

const SEAL = -1, REJECTED = -2, MEMORY = -3, CHECK = -4, RUN = -5;

const { apply, construct, defineProperty, getOwnPropertyDescriptor, setPrototypeOf } = Reflect;
const { isArray } = Array;
const { indexOf } = String.prototype;
const floor = Math.floor;

// The host puts promises that nobody handled into this list.
const list = [];
setPrototypeOf(list, null);
globalThis.__ringfence_list = list;
const memory = host(SEAL);
delete globalThis.__ringfence_list;
delete Intl.Segmenter;

const inside = prelude(host, spec);

const exhausted = () => {
  host(MEMORY);
  throw null;
};

// Guards. V8 does not look up while it walks along a length, and ends the process
// where one built-in asks for more than the heap can have. What could not fit into
// the run's memory is refused before it begins.

const shows = new WeakMap(), { get, set } = WeakMap.prototype;
const guard = (o, name, make) => {
  const d = getOwnPropertyDescriptor(o, name);
  if (d === undefined || typeof d.value !== 'function') return;
  const f = d.value, g = make(f, name);
  defineProperty(g, 'name', { __proto__: null, value: f.name, configurable: true });
  defineProperty(g, 'length', { __proto__: null, value: f.length, configurable: true });
  apply(set, shows, [g, f.name]);
  defineProperty(o, name, { __proto__: null, value: g, writable: true, configurable: true });
};

// A walk over more elements than these is refused: each would take four bytes.
const most = Math.min(floor(memory / 4), 2 ** 26);
const walks = (f) => ({ f(...args) {
  if (typeof this === 'object' && this !== null) {
    const n = this.length;
    if (typeof n === 'number' && n > most) exhausted();
  }
  return apply(f, this, args);
} }).f;
for (const name of names.walks) guard(Array.prototype, name, walks);

const strings = {
  __proto__: null,
  repeat: (f) => ({ repeat(count) {
    if (typeof this === 'string' && typeof count === 'number' && this.length * count > memory) exhausted();
    return apply(f, this, [count]);
  } }).repeat,
  padStart: (f) => ({ f(length, fill) {
    if (typeof length === 'number' && length > memory) exhausted();
    return apply(f, this, [length, fill]);
  } }).f,
  split: (f) => ({ split(separator, limit) {
    if (typeof this === 'string' && this.length > most && (separator === '' || typeof separator === 'object')) exhausted();
    return apply(f, this, [separator, limit]);
  } }).split,
  // Each substitution for each match is an entry of one list.
  replace: (f) => ({ f(pattern, replacement) {
    if (typeof this === 'string' && typeof replacement === 'string' && this.length > 4096) {
      let dollars = 0;
      for (let i = 0; (i = apply(indexOf, replacement, ['$', i])) >= 0; i++) dollars++;
      if ((dollars + 1) * this.length > 2 ** 26) exhausted();
    }
    return apply(f, this, [pattern, replacement]);
  } }).f,
};
strings.padEnd = strings.padStart;
strings.replaceAll = strings.replace;

// Nested groups are compiled by recursion, without an eye on the stack.
const NativeSyntaxError = SyntaxError;
const checkPattern = (v) => {
  if (typeof v !== 'string' || v.length < 1000) return;
  let groups = 0;
  for (let i = 0; (i = apply(indexOf, v, ['(', i]) + 1) > 0;) if (++groups > 1000) throw new NativeSyntaxError('Invalid regular expression: too many groups');
};
strings.match = strings.matchAll = strings.search = (f) => ({ f(pattern) {
  checkPattern(pattern);
  return apply(f, this, [pattern]);
} }).f;
for (const name of names.strings) guard(String.prototype, name, strings[name]);
if (names.others.length > 0) {
  guard(RegExp.prototype, 'compile', (f) => ({ compile(pattern, flags) {
    checkPattern(pattern);
    return apply(f, this, [pattern, flags]);
  } }).compile);
  const NativeRegExp = RegExp;
  const Guarded = new Proxy(NativeRegExp, {
    __proto__: null,
    apply(f, self, args) {
      checkPattern(args[0]);
      return apply(f, self, args);
    },
    construct(f, args, target) {
      checkPattern(args[0]);
      return construct(f, args, target === Guarded ? NativeRegExp : target);
    },
  });
  apply(set, shows, [Guarded, 'RegExp']);
  defineProperty(globalThis, 'RegExp', { __proto__: null, value: Guarded });
  defineProperty(RegExp.prototype, 'constructor', { __proto__: null, value: Guarded });
}
if (names.statics.length > 0) {
  const long = (v) => {
    if (typeof v !== 'object' || v === null) return;
    const n = v.length;
    if (typeof n === 'number' && n > most) exhausted();
  };
  guard(Array, 'from', (f) => ({ from(...args) {
    long(args[0]);
    return apply(f, this, args);
  } }).from);
  // JSON.parse meets a termination and forgets it.
  guard(JSON, 'parse', (f) => ({ parse(text, reviver) {
    const v = apply(f, this, [text, reviver]);
    if (typeof text === 'string' && text.length > 1024) host(CHECK);
    return v;
  } }).parse);
  guard(String, 'raw', (f) => ({ raw(...args) {
    if (typeof args[0] === 'object' && args[0] !== null) long(args[0].raw);
    return apply(f, this, args);
  } }).raw);
}

if (names.walks.length + names.strings.length + names.others.length + names.statics.length > 0) {
  guard(Function.prototype, 'toString', (f) => ({ toString() {
    const name = typeof this === 'function' ? apply(get, shows, [this]) : undefined;
    return name === undefined ? apply(f, this, []) : 'function ' + name + '() { [native code] }';
  } }).toString);
}

return {
  __proto__: null,
  run: (outer) => inside.run((meter, vars, operands) => {
    const script = outer(meter, vars, operands);
    return () => {
      // The host calls it: it learns where something was thrown.
      list[0] = script;
      const threw = host(RUN), v = list[0];
      list.length = 0;
      if (threw) throw v;
      return v;
    };
  }),
  value: inside.value,
  encode: inside.encode,
  describe: inside.describe,
  settle: inside.settle,
  // rejected asks the host for what was rejected; promise gives one of these.
  rejected() { return host(REJECTED); },
  promise(i) { return list[i]; },
};
})
