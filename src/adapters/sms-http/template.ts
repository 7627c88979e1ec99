/** A text with `{{placeholders}}`, taken apart. There is nothing else in it: no conditions, no code. */
export type Template = readonly (string | { name: string })[]

const TAG = /\{\{([^{}]*)\}\}/

/** Takes a text apart. Whether its names exist is for the caller to say: `namesIn`. */
export function parseTemplate(source: string): Template {
  // The pattern has one group, so the pieces are text and name by turns.
  return source.split(TAG).map((piece, index) => (index % 2 === 0 ? piece : { name: piece.trim() }))
}

export function namesIn(template: Template): string[] {
  return template.flatMap((piece) => (typeof piece === 'string' ? [] : piece.name))
}

/** Puts values in. `safe` makes a value safe where it stands. A name without a value gives nothing. */
export function fillTemplate(
  template: Template,
  values: Readonly<Record<string, string>>,
  safe: (value: string) => string,
): string {
  return template.map((piece) => (typeof piece === 'string' ? piece : safe(values[piece.name] ?? ''))).join('')
}

/** A value within a JSON string. */
export function escapeJson(value: string): string {
  return JSON.stringify(value.toWellFormed()).slice(1, -1)
}

/** A value within a query or a form. A space is %20, which both understand. */
export function escapeUrl(value: string): string {
  return encodeURIComponent(value.toWellFormed())
}
