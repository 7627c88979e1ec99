/**
 * The text of an answer. A byte order mark before it, which PHP sends with everything as soon as one file of a site was saved with
 * one, is no part of it.
 */
export function textOf(body: Buffer): string {
  return body.toString('utf8').replace(/^\uFEFF/, '')
}
