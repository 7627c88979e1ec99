/**
 * A reader that reads each payload once, as long as the payload lives: a dozen flows ask about the same one, and it may have
 * thousands of lines. What it gives is shared, so nobody changes it.
 */
export function onceEach<Read>(read: (payload: unknown) => Read): (payload: unknown) => Read {
  const known = new WeakMap<object, { read: Read }>()
  return (payload) => {
    if (payload === null || typeof payload !== 'object') return read(payload)
    const found = known.get(payload) ?? { read: read(payload) }
    known.set(payload, found)
    return found.read
  }
}
