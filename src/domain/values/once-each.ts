/** Memoises a reader per payload: a dozen flows read the same one. Results are shared and must not be changed. */
export function onceEach<Read>(read: (payload: unknown) => Read): (payload: unknown) => Read {
  const known = new WeakMap<object, { read: Read }>()
  return (payload) => {
    if (payload === null || typeof payload !== 'object') return read(payload)
    const found = known.get(payload) ?? { read: read(payload) }
    known.set(payload, found)
    return found.read
  }
}
