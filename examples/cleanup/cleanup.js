/**
 * Cleans a customer list: reads a CSV file, brings every field into one form,
 * merges rows of the same customer, and reports the rows that cannot be used.
 *
 * @description   Normalises and deduplicates a customer CSV
 * @version       2.1.0
 * @timeout       1m
 * @statements    2M
 * @requiresTools file_read
 * @allowTools    file_read, file_write
 */
'use strict';

const { source = 'customers.csv', target = null, defaultCountry = 'DE' } = vance.params;

const COUNTRIES = new Map([
  ['germany', 'DE'], ['deutschland', 'DE'], ['de', 'DE'],
  ['austria', 'AT'], ['österreich', 'AT'], ['at', 'AT'],
  ['switzerland', 'CH'], ['schweiz', 'CH'], ['ch', 'CH'],
]);

/** The rows of a CSV text as arrays of cells; a quoted cell may hold anything. */
function parseCsv(text) {
  const cell = /("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g;
  const rows = [[]];
  for (const [, raw, end] of text.trimEnd().matchAll(cell)) {
    const value = raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw;
    rows.at(-1).push(value.trim());
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows;
}

/** A date as YYYY-MM-DD, from that form or from D.M.YYYY; null if it is neither. */
function isoDate(text) {
  const german = text.match(/^(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})$/)?.groups;
  const iso = german
    ? `${german.year}-${german.month.padStart(2, '0')}-${german.day.padStart(2, '0')}`
    : text;
  const date = new Date(`${iso}T00:00:00Z`);
  const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso);
  return exists ? iso : null;
}

const titleCase = (text) =>
  text
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/(^|[ -])\S/g, (match) => match.toUpperCase());

function normalise({ name, email, country, since, revenue }) {
  const land = country || defaultCountry;
  const customer = {
    email: email.toLowerCase(),
    name: titleCase(name),
    country: COUNTRIES.get(land.toLowerCase()) ?? land.toUpperCase(),
    since: isoDate(since),
    revenue: Number(revenue.replace(/[^\d.-]/g, '') || 0),
  };
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(customer.email)) throw new RangeError(`bad email "${email}"`);
  if (customer.since === null) throw new RangeError(`bad date "${since}"`);
  return customer;
}

/** One customer from two rows: the earlier date, the longer name, both revenues. */
const merge = (a, b) => ({
  ...a,
  name: b.name.length > a.name.length ? b.name : a.name,
  since: a.since < b.since ? a.since : b.since,
  revenue: a.revenue + b.revenue,
});

const text = vance.files.read(source);
if (text === null) {
  throw new Error(`there is no file ${source}`);
}
const [head, ...lines] = parseCsv(text);
const columns = head.map((name) => name.toLowerCase());

const customers = new Map();
const rejected = [];
lines.forEach((cells, index) => {
  const row = Object.fromEntries(columns.map((column, i) => [column, cells[i] ?? '']));
  try {
    const customer = normalise(row);
    const known = customers.get(customer.email);
    customers.set(customer.email, known ? merge(known, customer) : customer);
  } catch (error) {
    rejected.push({ line: index + 2, reason: error.message });
  }
});

const rows = [...customers.keys()].sort().map((email) => customers.get(email));
const revenueByCountry = {};
for (const { country, revenue } of rows) {
  revenueByCountry[country] = (revenueByCountry[country] ?? 0) + revenue;
}
vance.log.info('cleaned', { read: lines.length, kept: rows.length, rejected: rejected.length });

if (target !== null) {
  const quote = (cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const table = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  const csv = table.map((cells) => `${cells.map((cell) => quote(String(cell))).join(',')}\n`);
  vance.files.write(target, csv.join(''));
}

return { rows, rejected, revenueByCountry };
