import type { Identities } from './person-nodes.ts'

/**
 * Whether what was asked for is of several people, so that nobody can say which one is meant: nothing of it is the person's alone
 * (`said`: what rows say of them), and something of it is others'. `shared`: ids that many have. Pure.
 */
export function isOfSeveral(
  asked: Identities,
  said: Identities,
  others: readonly Identities[],
  shared: ReadonlySet<string>,
): boolean {
  const isTheirId = (id: string) => shared.has(id) || others.some(({ customerIds }) => customerIds.includes(id))
  const isTheirEmail = (email: string) => others.some(({ emails }) => emails.includes(email))
  const numbers = others.flatMap(({ phones }) => phones).filter((phone) => asked.phones.includes(phone))
  const isAlone =
    asked.emails.some((email) => said.emails.includes(email) && !isTheirEmail(email)) ||
    // Digits may be an id, and somebody else's number as well.
    asked.customerIds.some(
      (id) => said.customerIds.includes(id) && !isTheirId(id) && !numbers.some((phone) => phone.endsWith(id)),
    )
  return !isAlone && (numbers.length > 0 || asked.customerIds.some(isTheirId) || asked.emails.some(isTheirEmail))
}
