/** What may be wrong with a payload. */
export const CLASSES = ['renamed', 'removed', 'nulled', 'retyped', 'unknown word', 'extra'] as const
export type Class = (typeof CLASSES)[number]

/** In place of a text: no number, no time, and no word that anybody knows. */
export const WORDS = ['Qzxword', '12,50', 'soon', '–', '2026-99-99T99:99:99'] as const

/** A repeatable source of choices: mulberry32. */
export function createChoices(seed: number) {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    below: (limit: number) => Math.floor(next() * limit),
    of<T>(all: readonly T[]): T {
      const chosen = all[Math.floor(next() * all.length)]
      if (chosen === undefined) throw new Error('There is nothing to choose from.')
      return chosen
    },
  }
}

export type Choices = ReturnType<typeof createChoices>

interface Place {
  record: Record<string, unknown>
  name: string
  path: string
}

/** A copy of a payload with one thing wrong; `path`: where. */
export function mutated(payload: object, what: Class, choices: Choices): { payload: object; path: string } {
  const copy = structuredClone(payload)
  if (what === 'extra') {
    const { record, path } = choices.of([...recordsOf(copy, '')])
    const value = choices.of([null, 7, 'text', { amount: 1 }, [1], true])
    record[`extra${choices.below(1_000)}`] = value
    return { payload: copy, path }
  }
  const places = [...placesOf(copy, '')].filter(({ record, name }) => fits(what, record[name]))
  // What went wrong before may have left nothing.
  if (places.length === 0) return { payload: copy, path: '' }
  const { record, name, path } = choices.of(places)
  // Two articles of one word would be one.
  const words = WORDS.filter((word) => !JSON.stringify(copy).includes(word))
  change(record, name, what, choices, words)
  return { payload: copy, path }
}

function fits(what: Class, value: unknown): boolean {
  if (what === 'unknown word') return typeof value === 'string' && value !== ''
  if (what === 'retyped') return value !== null && value !== undefined
  return true
}

function change(
  record: Record<string, unknown>,
  name: string,
  what: Class,
  choices: Choices,
  words: readonly string[],
): void {
  const value = record[name]
  switch (what) {
    case 'renamed':
      delete record[name]
      record[choices.of([`the${name}`, `${name}Value`, 'Xyzzy', 'felt'])] = value
      return
    case 'removed':
      delete record[name]
      return
    case 'nulled':
      record[name] = null
      return
    case 'retyped': {
      // What may have been a flag before it was retyped must not be one again, of which nobody could have a doubt.
      const isNoFlag = typeof value === 'number' || (typeof value === 'string' && WORDS.every((word) => word !== value))
      record[name] = choices.of<unknown>([{ value }, [value], {}, isNoFlag ? true : WORDS[0]])
      return
    }
    case 'unknown word':
      record[name] = choices.of(words)
  }
}

function* placesOf(value: unknown, at: string): Generator<Place> {
  for (const { record, path } of recordsOf(value, at))
    for (const name of Object.keys(record)) yield { record, name, path: `${path}.${name}` }
}

function* recordsOf(value: unknown, path: string): Generator<Omit<Place, 'name'>> {
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) yield* recordsOf(inner, `${path}[${index}]`)
    return
  }
  if (value === null || typeof value !== 'object') return
  yield { record: value as Record<string, unknown>, path }
  for (const [name, inner] of Object.entries(value)) yield* recordsOf(inner, `${path}.${name}`)
}
