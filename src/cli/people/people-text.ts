import type { ErasedPerson } from '../../admin/people/erasing.ts'
import type { FoundPerson } from '../../admin/people/found-person.ts'
import { PLACES_TO_LOOK } from '../../domain/people/erasing/personal-fields.ts'
import { counted } from '../../domain/values/counted.ts'
import { oneLine } from '../shared/harmless-text.ts'
import { table } from '../shared/table.ts'

/** What is kept of a person, for people. */
export function foundText({
  customerIds,
  emails,
  phones,
  touched,
  open,
  held,
  files,
  told,
  notFollowed,
  isAmbiguous,
  begun,
}: FoundPerson): string {
  const rows = Object.entries(touched).map(([name, count]) => [name, count])
  return [
    rows.length === 0 &&
      !isAmbiguous &&
      begun === null &&
      'No data of this person is indexed (--everywhere searches all payloads).',
    begun !== null && `Their erasure as ${begun} has not ended: erase them again, and it goes on.`,
    list('Customer ids', customerIds),
    list('E-mail', emails),
    list('Phone', phones),
    rows.length > 0 && table(['table', 'rows'], rows, ''),
    open.length > 0 && `Still owed: ${open.length === 1 ? 'delivery' : 'deliveries'} ${open.join(', ')}.`,
    held.length > 0 &&
      `Under a legal hold, and not to be erased: ${held.length === 1 ? 'event' : 'events'} ${held.join(', ')}.`,
    filesText(
      'Files of the archive that say something of them, and stay until they expire',
      files.archived.map(({ file, expires }) => `${file} (${expires})`),
    ),
    filesText('Files of destinations that say something of them: see that they are taken, and deleted', files.waiting),
    filesText('Not looked through', files.unread),
    begun === null && rows.length > 0 && PLACES_TO_LOOK,
    tellableText(told.filter(({ byHub }) => byHub)),
    toldText(told.filter(({ byHub }) => !byHub)),
    ...notFollowed.map(({ shared, other, why }) =>
      other === ''
        ? `Not followed: events that say ${oneLine(shared)}, and no other identifier; ${why}.`
        : `Not followed: ${oneLine(other)} shares ${oneLine(shared)}; ${why}. The same person? Say --also ${oneLine(other)}.`,
    ),
    isAmbiguous &&
      'Several people have this address, number or id: say whom by an e-mail address or a customer id that is theirs alone, or who is the same (--also).',
  ]
    .filter((part) => part !== false && part !== null)
    .join('\n')
}

/** What an erasure did, or would do. */
export function erasedText(erased: ErasedPerson, proofTo: string | null): string {
  const { proof, act } = erased
  if (proof === null) return `${foundText(erased)}\nNothing was changed.`
  const { secondPass, pseudonym, touched } = proof
  const bytes = secondPass.searched.reduce((sum, one) => sum + one.bytes, 0)
  return [
    `They are ${pseudonym} from now on (audit entry ${act}).`,
    table(['table', 'rows'], Object.entries(touched), ''),
    `Second pass: ${bytes} bytes looked through, ${secondPass.found === 0 ? 'nothing of the person found' : `${counted(secondPass.found, 'place')} still say something of the person`}.`,
    secondPass.held.length > 0 &&
      `Under a legal hold, and left as they are, though they say something of the person: ${secondPass.held.length === 1 ? 'event' : 'events'} ${secondPass.held.join(', ')}.`,
    ...secondPass.doubts,
    noticesText(erased.notices),
    toldText(erased.told.filter(({ byHub }) => !byHub)),
    proofTo && `The proof is in ${proofTo}: keep it for as long as there are backups of before.`,
  ]
    .filter((part) => part !== null && part !== false)
    .join('\n')
}

/** The hub forgets for itself, and for those that it can tell. */
function toldText(told: FoundPerson['told']): string | null {
  if (told.length === 0) return null
  const systems = told.map(({ destination, deliveries, theirIds }) =>
    [
      `${destination} (${deliveries === 0 ? 'it told the hub' : counted(deliveries, 'delivery')}`,
      ...theirIds.map((id) => `, customer ${oneLine(id)}`),
      ')',
    ].join(''),
  )
  return `Told of them, and to be asked to forget them there: ${systems.join(', ')}.`
}

/** What an erasure would tell, unless it is asked not to. */
function tellableText(told: FoundPerson['told']): string | null {
  const names = told.map(({ destination }) => destination)
  return names.length === 0 ? null : `Told to forget them when they are erased: ${names.join(', ')}.`
}

function noticesText(notices: ErasedPerson['notices']): string | null {
  const those = notices.map(({ destination, delivery, state }) => `${destination} (delivery ${delivery}, ${state})`)
  return notices.length === 0
    ? null
    : `Told to forget them: ${those.join(', ')}. Until it is delivered, what they must know is kept sealed; the key goes then.`
}

function filesText(what: string, files: readonly string[]): string | null {
  const some = files.slice(0, 20).map(oneLine).join(', ')
  return files.length === 0 ? null : `${what}: ${some}${files.length > 20 ? ` and ${files.length - 20} more` : ''}.`
}

function list(what: string, values: readonly string[]): string | null {
  return values.length === 0 ? null : `${what}: ${values.map(oneLine).join(', ')}`
}
