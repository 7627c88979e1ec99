import type { Instant } from '../values/instant.ts'
import { type LearnedField, type LearnedShape, type ObservedField, type PayloadDrift, parentOf } from './learned.ts'

/** A field is learned once it was met so often, for so long (milliseconds): before, whatever it has is new to the hub alone. */
const OFTEN = 100
const LONG = 2 * 24 * 3_600_000

/** The most fields of a kind that are learned: beyond them, nothing is said of new ones. */
const MOST_FIELDS = 400

/** An object that had so many more keys in all than twice the most at once is a map. */
const MORE_KEYS = 20

/** A field with more words is none of a few words; with more than these, a new one is no surprise. */
const MOST_WORDS = 16
const FEW_WORDS = 12

/** How often each word has to have been met, on average, before they count as all there are. */
const EACH_WORD = 10

export interface Learned {
  shape: LearnedShape
  drifts: PayloadDrift[]
}

/**
 * Learns one payload: what was never so before in a field that is learned is a drift, once. Of a new object it is the object
 * that is told, and not what is in it. Pure.
 */
export function learn(
  shape: LearnedShape,
  observed: readonly ObservedField[],
  { event, at, now }: { event: number; at: Instant; now: Instant },
): Learned {
  const fields = new Map(shape.fields.map((field) => [field.path, field]))
  const drifts: PayloadDrift[] = []
  const grown = new Set<string>()
  let { isFull } = shape

  for (const seen of observed) {
    const known = fields.get(seen.path)
    if (known !== undefined) {
      drifts.push(...surprises(known, seen, at).map((one) => ({ kind: shape.kind, ...one, event, at, foundAt: now })))
      fields.set(seen.path, merged(known, seen))
      continue
    }
    if (fields.size >= MOST_FIELDS) {
      isFull = true
      continue
    }
    const parent = parentOf(seen.path)
    const within = parent === null ? undefined : shape.fields.find(({ path }) => path === parent)
    if (within && isLearned({ ...within, seen: within.held }, at) && !within.isMap && !seen.path.endsWith('*'))
      drifts.push({ kind: shape.kind, ...newField(seen), event, at, foundAt: now })
    fields.set(seen.path, first(seen, at))
    if (parent !== null) grown.add(parent)
  }
  for (const path of grown) foldMap(fields, path)
  const upTo = Math.max(shape.upTo, event)
  return { shape: { ...shape, upTo, payloads: shape.payloads + 1, fields: [...fields.values()], isFull }, drifts }
}

type Surprise = Omit<PayloadDrift, 'kind' | 'event' | 'at' | 'foundAt'>

function isLearned({ seen, since }: Pick<LearnedField, 'seen' | 'since'>, at: Instant): boolean {
  return seen >= OFTEN && at - since >= LONG
}

function newField({ path, types }: ObservedField): Surprise {
  const [[type, sample] = ['null', 'null'] as const] = types
  return { path, what: 'field', was: 'not there', sample, type }
}

function surprises(known: LearnedField, { path, types, words }: ObservedField, at: Instant): Surprise[] {
  if (!isLearned(known, at)) return []
  // What was always null has its first value: that is what it was there for.
  const hadValue = known.types.some((type) => type !== 'null')
  const other = [...types].filter(([type]) => hadValue && !known.types.includes(type))
  const ofTypes = other.map(
    ([type, sample]): Surprise => ({
      path,
      what: type === 'null' ? 'null' : 'type',
      was: known.types.join(' or '),
      sample,
      type,
    }),
  )
  const had = known.words
  if (had === null || words === null || had.length === 0) return ofTypes
  const isClosed = had.length <= FEW_WORDS && had.length * EACH_WORD <= known.seen
  const news = isClosed ? words.filter((word) => !had.includes(word)) : []
  const type = known.types.includes('number') ? 'number' : 'text'
  return [
    ...ofTypes,
    ...news.map((word): Surprise => ({ path, what: 'word', was: had.join(', '), sample: word, type })),
  ]
}

function first({ path, types, words, keys }: ObservedField, at: Instant): LearnedField {
  const held = keys > 0 ? 1 : 0
  return { path, since: at, seen: 1, types: [...types.keys()], words: fewWords(words), keys, held, isMap: false }
}

function merged(known: LearnedField, { types, words, keys }: ObservedField): LearnedField {
  return {
    ...known,
    seen: known.seen + 1,
    types: [...new Set([...known.types, ...types.keys()])],
    words: known.words && words && fewWords([...new Set([...known.words, ...words])]),
    keys: Math.max(known.keys, keys),
    held: known.held + (keys > 0 ? 1 : 0),
  }
}

function fewWords(words: readonly string[] | null): string[] | null {
  return words === null || words.length > MOST_WORDS ? null : [...words]
}

/** Forgets the keys of an object that has ever new ones: from now on they are one field, `*`. */
function foldMap(fields: Map<string, LearnedField>, path: string): void {
  const object = fields.get(path)
  if (object === undefined || object.isMap) return
  const children = [...fields.keys()].filter((one) => one !== '' && parentOf(one) === path && !one.endsWith('*'))
  if (children.length <= object.keys * 2 + MORE_KEYS) return
  const inside = path === '' ? '' : `${path}.`
  for (const one of [...fields.keys()]) if (one !== path && one.startsWith(inside)) fields.delete(one)
  fields.set(path, { ...object, isMap: true })
}
