/**
 * Writes an essay chapter by chapter: plans each chapter with what the earlier
 * ones have said, has it written, asks again where the text is too short, and
 * stores the whole as one document.
 *
 * @description   Writes an essay from a list of chapters and stores it
 * @version       1.0.0
 * @timeout       30m
 * @statements    500k
 * @requiresTools essay_plan, essay_write, doc_create
 * @allowTools    essay_plan, essay_write, doc_create, notify_user
 */
'use strict';

const MAX_ATTEMPTS = 3;

const { topic, audience = 'everybody', chapters = [], minWords = 20 } = args;
if (!topic || chapters.length === 0) {
  throw new TypeError('args needs a topic and at least one chapter');
}

const countWords = (text) => text.split(/\s+/).filter(Boolean).length;

/** The points of a chapter, none of which an earlier chapter has. */
function plan(title, covered) {
  const { points } = vance.tools.call('essay_plan', { topic, audience, title, covered });
  return points.filter((point) => !covered.includes(point));
}

/** The text of a chapter. A writer that is too brief is asked again, and told so. */
function write(title, points) {
  let feedback = null;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const request = { title, points, audience, ...(feedback && { feedback }) };
    const { text } = vance.tools.call('essay_write', request);
    const words = countWords(text);
    if (words >= minWords) {
      return { text, words, attempt };
    }
    feedback = `${words} words are too few; write at least ${minWords}`;
    vance.log.warn('chapter is too short', { title, words, attempt });
  }
  throw new Error(`no text of ${minWords} words for "${title}" after ${MAX_ATTEMPTS} attempts`);
}

/** Telling the user is a courtesy: the essay is there without it. */
function notify(documentId) {
  if (!vance.tools.has('notify_user')) {
    return false;
  }
  try {
    vance.tools.call('notify_user', { text: `Your essay on ${topic} is ready`, documentId });
    return true;
  } catch (error) {
    vance.log.warn('the user was not told', { error: error.name, reason: error.message });
    return false;
  }
}

const written = [];
for (const [index, title] of chapters.entries()) {
  const covered = written.flatMap((chapter) => chapter.points);
  const points = plan(title, covered);
  const { text, words, attempt } = write(title, points);
  written.push({ title, points, text, words, attempt });
  vance.log.info('chapter done', { chapter: index + 1, of: chapters.length, title, words });
}

const sections = written.map(({ title, text }) => `## ${title}\n\n${text}`);
const document = vance.tools.call('doc_create', {
  title: topic,
  content: [`# ${topic}`, ...sections].join('\n\n'),
});

return {
  documentId: document.id,
  project: vance.context.projectId,
  words: written.reduce((sum, { words }) => sum + words, 0),
  chapters: written.map(({ title, words, attempt }) => ({ title, words, attempts: attempt })),
  notified: notify(document.id),
};
