/**
 * A check before a tool is called. The input is { tool, arguments }; the value says
 * what to do: allow it, block it with a reason, or go on with other arguments.
 *
 * @description Guards tool calls: protected paths, secrets, result sizes
 * @version     1.0.0
 * @timeout     5s
 * @statements  50k
 * @allowTools  policy_read
 */
'use strict';

const DEFAULT_POLICY = { protectedNames: ['.git', '.env'], blockedTools: [], maxRows: 100 };

const SECRETS = [
  { name: 'API key', pattern: /\b(?:sk|pk)-[A-Za-z0-9]{16,}\b/g },
  { name: 'bearer token', pattern: /\bBearer\s+[A-Za-z0-9._-]{16,}/g },
];

/** The rules of this project, where it has some of its own. */
function readPolicy() {
  const own = vance.tools.has('policy_read') ? vance.tools.call('policy_read', {}) : {};
  return { ...DEFAULT_POLICY, ...own, ...vance.params };
}

/** The path with "." and ".." resolved, or null where it leaves the root. */
function normalisePath(path) {
  const parts = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return null;
    } else if (part !== '' && part !== '.') {
      parts.push(part);
    }
  }
  return parts.join('/');
}

const isProtected = (path, { protectedNames }) =>
  path.split('/').some((part) => protectedNames.includes(part));

/** A copy of a value in which change has been applied to every string. */
function mapStrings(value, change) {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]);
  return Object.fromEntries(entries);
}

function decide({ tool, arguments: given = {} }, policy) {
  if (policy.blockedTools.includes(tool)) {
    return { decision: 'block', reason: `${tool} is switched off in this project` };
  }
  if (typeof given.path === 'string') {
    const path = normalisePath(given.path);
    if (path === null) return { decision: 'block', reason: `${given.path} leaves the workspace` };
    if (isProtected(path, policy)) return { decision: 'block', reason: `${path} is protected` };
  }

  const changes = [];
  const cleaned = mapStrings(given, (text) =>
    SECRETS.reduce((rest, { name, pattern }) => {
      const redacted = rest.replace(pattern, '[redacted]');
      if (redacted !== rest) changes.push(`${name} redacted`);
      return redacted;
    }, text));
  if (cleaned.limit > policy.maxRows) {
    changes.push(`limit lowered from ${cleaned.limit} to ${policy.maxRows}`);
    cleaned.limit = policy.maxRows;
  }
  return changes.length > 0
    ? { decision: 'modify', arguments: cleaned, reason: changes.join('; ') }
    : { decision: 'allow' };
}

if (typeof input?.tool !== 'string') {
  throw new TypeError('input must be { tool, arguments }');
}
const verdict = decide(input, readPolicy());
if (verdict.decision !== 'allow') {
  vance.log.info(`tool call: ${verdict.decision}`, { tool: input.tool, reason: verdict.reason });
}
verdict;
