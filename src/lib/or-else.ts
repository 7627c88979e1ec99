/** Whatever it throws is the other value. */
export function orElse<Value, Other>(work: () => Value, other: Other): Value | Other {
  try {
    return work()
  } catch {
    return other
  }
}
