import { escapeJson, escapeUrl, fillTemplate, parseTemplate, type Template } from './template.ts'

/** The body of a request, parsed once. */
export interface Body {
  template: Template
  safe: (value: string) => string
}

/**
 * Reads the body that an operator wrote: a map becomes the JSON or the form of it, a text is one already. A form is flat;
 * null where the map is not.
 */
export function parseBody(written: string | Record<string, unknown>, type: 'json' | 'form'): Body | null {
  const safe = type === 'json' ? escapeJson : escapeUrl
  if (typeof written === 'string') return { template: parseTemplate(written), safe }
  if (type === 'json') return { template: parseTemplate(JSON.stringify(written)), safe }
  const fields = Object.entries(written)
  if (fields.some(([, value]) => typeof value === 'object')) return null
  return { template: fields.flatMap(formField), safe }
}

export function fillBody({ template, safe }: Body, values: Readonly<Record<string, string>>): string {
  return fillTemplate(template, values, safe)
}

/** `name=value`, of which only the words are written as a form wants them: the placeholders' values are, when they come. */
function formField([name, value]: [string, unknown], index: number): Template {
  const words = parseTemplate(String(value)).map((piece) => (typeof piece === 'string' ? escapeUrl(piece) : piece))
  return [`${index === 0 ? '' : '&'}${escapeUrl(name)}=`, ...words]
}
