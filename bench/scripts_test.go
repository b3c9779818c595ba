package bench

// trivialScript is the least that a script can do, with a header.
const trivialScript = `/**
 * @description nothing much
 * @timeout 5s
 */
1 + 1`

// toolScript is what scripts that call tools do: records, map, filter, sort, JSON,
// five calls.
const toolScript = `/**
 * @timeout 10s
 * @allowTools fetch_rows, save
 */
const rows = [];
for (let i = 0; i < 200; i++) {
  rows.push({ id: i, name: "item-" + i, score: (i * 37) % 101, tags: ["a", "b" + (i % 7)] });
}
const byTag = rows.reduce((all, row) => {
  (all[row.tags[1]] ||= []).push(row.id);
  return all;
}, {});
const fetched = vance.tools.call("fetch_rows", { page: 1, size: 20 });
const best = rows
  .filter((row) => row.score > 20)
  .map((row) => ({ ...row, label: row.name.toUpperCase() + ":" + row.score }))
  .sort((a, b) => b.score - a.score || a.id - b.id)
  .slice(0, 50);
const text = JSON.stringify(best);
const copy = JSON.parse(text);
for (let page = 0; page < 4; page++) {
  vance.tools.call("save", { page, items: copy.slice(page * 10, page * 10 + 10).map((row) => row.id) });
}
({ total: rows.length, tags: Object.keys(byTag).length, fetched: fetched.rows.length, size: text.length, best: copy });
`
