import type { Person } from '../../domain/people/erasing/person.ts'
import { firstNamesOf, type Identities, type PersonNode } from '../../domain/people/erasing/person-nodes.ts'
import { firstWord } from '../../domain/people/same-person.ts'
import type { SearchKey } from '../../domain/queue/search-keys.ts'
import { searchKeysOfPerson } from './asked.ts'

/**
 * By what the person of an erasure is known again, each key to be hashed: what is theirs alone, and what others have as well, with a
 * first name of theirs or with none.
 */
export function keysOfErasure({ alone, customerIds, emails, phones, values }: Person): SearchKey[] {
  const own = searchKeysOfPerson(alone)
  const isOwn = ({ sort, value }: SearchKey) => own.some((key) => key.sort === sort && key.value === value)
  const shared = searchKeysOfPerson({ customerIds, emails, phones }).filter((key) => !isOwn(key))
  const named = [...new Set(['', ...firstNamesOf({ values }).map(firstWord)])]
  return [...own, ...named.flatMap((name) => shared.map((key) => withName(key, name)))]
}

/** The keys by which something that was said beside a first name, or beside none, may be of such a person. */
export function keysOfNode(its: Identities, node: PersonNode): SearchKey[] {
  const keys = searchKeysOfPerson(its)
  return [...keys, ...keys.map((key) => withName(key, firstWord(firstNamesOf(node)[0] ?? null)))]
}

function withName({ sort, value }: SearchKey, name: string): SearchKey {
  return { sort, value: `${value} ${name}` }
}
