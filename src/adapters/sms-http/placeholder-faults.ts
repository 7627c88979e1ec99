import { suggest } from '../../lib/suggest.ts'
import { parseBody } from './body.ts'
import { namesIn, parseTemplate } from './template.ts'

/** The fault of the words of a message. */
export function templateFault(text: string, known: readonly string[], needed?: string): string | null {
  const names = namesIn(parseTemplate(text))
  if (needed && !names.includes(needed)) return `Must have {{${needed}}} in it.`
  return text.trim() === '' ? 'Must not be empty.' : unknownName(names, known)
}

/** Faults of the placeholders of the query and the body together, by option. */
export function placeholderFaults(
  { url, body, type }: { url: string; body?: string | Record<string, unknown> | undefined; type: 'json' | 'form' },
  known: readonly string[],
): [option: string, fault: string][] {
  const ofUrl = namesIn(parseTemplate(url))
  const ofBody = namesIn((body === undefined ? null : parseBody(body, type))?.template ?? [])
  const all = [...ofUrl, ...ofBody]
  const place = body === undefined ? 'url' : 'body'
  const found: [string, string | null][] = [
    ['url', unknownName(ofUrl, known)],
    ['body', unknownName(ofBody, known)],
    [
      place,
      all.includes('to') || all.includes('toDigits') ? null : 'Must say whom to send to: {{to}} or {{toDigits}}.',
    ],
    [place, all.includes('text') || all.includes('link') ? null : 'Must say what to send: {{text}}.'],
  ]
  return found.filter((one): one is [string, string] => one[1] !== null)
}

function unknownName(names: readonly string[], known: readonly string[]): string | null {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return null
  const near = suggest(unknown, known)
  return `There is no {{${unknown}}}${near ? `; did you mean {{${near}}}?` : `. There are: ${known.join(', ')}.`}`
}
