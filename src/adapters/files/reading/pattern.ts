/** Whether a file has a name like this, case aside; `*` stands for anything. */
export function matcherOf(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = pattern.toLowerCase().split('*')
  const last = others.pop()
  if (last === undefined) return (name) => name.toLowerCase() === first
  return (name) => {
    const plain = name.toLowerCase()
    // Parts count where each is first found: that leaves most room for those after it, and nothing is looked at again.
    const from = others.reduce((at, part) => endOf(plain, part, at), plain.startsWith(first) ? first.length : Infinity)
    return from + last.length <= plain.length && plain.endsWith(last) && !/[\r\n]/.test(name)
  }
}

function endOf(name: string, part: string, from: number): number {
  const at = from === Infinity ? -1 : name.indexOf(part, from)
  return at < 0 ? Infinity : at + part.length
}

/** Whether there is a name that both of them take. */
export function meet(one: string, other: string): boolean {
  if (one === '' || other === '') return /^\**$/.test(one + other)
  if (one[0] === '*') return meet(one.slice(1), other) || meet(one, other.slice(1))
  if (other[0] === '*') return meet(other, one)
  return one[0]?.toLowerCase() === other[0]?.toLowerCase() && meet(one.slice(1), other.slice(1))
}
