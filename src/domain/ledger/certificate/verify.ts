import { CERTIFIED_SETS, type Certificate, type SetSummary } from './certificate.ts'
import { isAsSigned } from './sign.ts'
import { keyIdOf } from './signing-key.ts'
import { summaryOf } from './summary.ts'

/** Plain, as amounts are kept. */
const DECIMAL = /^-?\d+(?:\.\d+)?$/

/**
 * Recomputes a certificate from its rows, and checks who signed it; what is wrong, in sentences, and nothing where it holds.
 * `keyId`: the key that it has to be of; null: whichever it names.
 */
export function certificateFaults(certificate: Certificate, keyId: string | null): string[] {
  const { key, sets, rows } = certificate
  const faults = isAsSigned(certificate) ? [] : ['The signature is not of this text: something was changed since.']
  const id = keyIdOf(key.publicKey)
  if (id !== key.id) faults.push(`The key in it is ${id}, and it says ${key.id}.`)
  if (keyId !== null && id !== keyId) faults.push(`It is signed with the key ${id}, not with ${keyId}.`)
  for (const set of CERTIFIED_SETS) {
    const said = sets.find((one) => one.set === set)
    const wrong = rows[set].find(([, amount]) => amount !== null && !DECIMAL.test(amount))
    if (said === undefined) faults.push(`It sums up no ${set}.`)
    else if (wrong) faults.push(`The amount of ${set} ${wrong[0]} is no number: ${wrong[1]}.`)
    else faults.push(...differences(said, summaryOf(set, rows[set])))
  }
  return faults
}

function differences(said: SetSummary, found: SetSummary): string[] {
  return (['count', 'sums', 'hash'] as const).flatMap((part) => {
    const [is, by] = [said, found].map((one) => JSON.stringify(one[part]))
    return is === by ? [] : [`The ${part} of ${said.set}: it says ${is}, its rows ${by}.`]
  })
}
