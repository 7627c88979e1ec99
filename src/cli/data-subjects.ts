import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import type { ErasedPerson } from '../admin/data-subjects.ts'
import { PLACES_TO_LOOK } from '../domain/privacy/personal-fields.ts'
import { messageOf, UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import type { Exported, FoundPerson } from '../privacy/report.ts'
import { createClient } from './shared/client.ts'
import { asks, group, joined } from './shared/command.ts'
import { awaited, EXIT } from './shared/exit.ts'
import { createNewFile, type NewFile, oneLine, printError, show, table } from './shared/output.ts'

function naming(command: Command, who = '<who>'): Command {
  return command
    .argument(who, 'an e-mail address, a phone number, or a customer id')
    .option('--also <who...>', 'this is the same person, whatever is not followed by itself')
    .option('--everywhere', 'look through all payloads as well, and not only by the index: it takes minutes')
    .option('--reason <text>', 'why, for the record')
}

const find = asks<FoundPerson>('find', 'POST /admin/people/find', {
  about: 'What is stored of a person, by table, and who shares an address or number',
  with: (command) => naming(command).option('--reveal', 'show addresses in full; the audit has that you looked'),
  asked: (options, who) => ({ who, ...options }),
  text: foundText,
})

const exportOne = naming(new Command('export'))
  .description('All that is stored of a person, as JSON')
  .option('--json', 'print JSON; it does so anyway')
  .action(async (who: string, { json: _json, ...asked }) => {
    const client = await createClient(process.env)
    const exported = await client.post<Exported>('/admin/people/export', { who, ...asked })
    show(true, exported, () => '')
  })

const erase = naming(new Command('erase'), '[who]')
  .option('--json', 'print JSON')
  .option('--proof <file>', 'repeat the erasure that this proof is of, on a backup that was restored')
  .description('Erase a person; amounts stay under a pseudonym')
  .option('--dry-run', 'count and show, change nothing')
  .option('--skip-open', 'skip their pending deliveries, which otherwise block the erasure')
  .option('--no-tell', 'notify no destination; else each that can erase them is notified, by a delivery')
  .option(
    '--proof-to <file>',
    'write the proof there: it has nothing of the person, and repeats the erasure on a backup',
  )
  .action(async (who: string | undefined, { json, proof, proofTo, also, tell, ...asked }) => {
    if ((who === undefined) === (proof === undefined))
      throw new UserError('Name a person, or the proof of an erasure (--proof): one of them.')
    const client = await createClient(process.env)
    await using file = proofTo ? await createNewFile(proofTo) : null
    const known = proof === undefined ? null : await readProof(proof)
    const erased = await awaited(
      asked.dryRun ? 'Stopped. Nothing was changed.' : `Not waited for. ${GOES_ON}`,
      (signal) =>
        known === null
          ? client.post<ErasedPerson>('/admin/people/erase', { who, also, tell, ...asked }, signal).catch(mayHaveBegun)
          : client.post<ErasedPerson>('/admin/people/repeat', { proof: known, ...asked }, signal),
    )
    const lost = await whyLost(file, erased.proof)
    show(json, erased, () => erasedText(erased, lost === null ? (proofTo ?? null) : null))
    const { found = 0, held = [] } = erased.proof?.secondPass ?? {}
    if (found > 0 || held.length > 0) process.exitCode = EXIT.problem
    if (lost === null) return
    if (!json) show(true, erased.proof, () => '')
    printError(`${lost} The person is erased all the same, and the proof is printed instead: keep it.`)
    process.exitCode = EXIT.problem
  })

const GOES_ON = 'If it was begun, it goes on: say the same command again, and it gives the proof.'

/** Without an answer the outcome is unknown. Throws. */
function mayHaveBegun(error: unknown): never {
  if (error instanceof UserError && error.cause === undefined) throw error
  const why = messageOf(error)
  throw new UserError(`${why} ${GOES_ON}`, { cause: error })
}

/** Null: the proof is in its file, or there is none. */
async function whyLost(file: NewFile | null, proof: ErasedPerson['proof']): Promise<string | null> {
  if (file === null || proof === null) return null
  return await file.write(`${JSON.stringify(proof, null, 2)}\n`).then(
    () => null,
    (error: Error) => error.message,
  )
}

async function readProof(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UserError(`${file} is no proof of an erasure: ${error instanceof Error ? error.message : error}.`)
  }
}

export const people = group('people', 'A person who asks what is kept of them, or to be erased', find, exportOne, erase)

function foundText(found: FoundPerson): string {
  const { touched, open, held, files, notified, notFollowed, isAmbiguous, begun } = found
  const rows = Object.entries(touched).map(([name, count]) => [name, count])
  return joined([
    rows.length === 0 &&
      !isAmbiguous &&
      begun === null &&
      'No data of this person is indexed (--everywhere searches all payloads).',
    begun !== null && `Their erasure as ${begun} has not ended: erase them again, and it goes on.`,
    list('Customer ids', found.customerIds),
    list('E-mail', found.emails),
    list('Phone', found.phones),
    rows.length > 0 && table(['table', 'rows'], rows, ''),
    open.length > 0 && `Still pending: ${open.length === 1 ? 'delivery' : 'deliveries'} ${open.join(', ')}.`,
    held.length > 0 &&
      `Under a legal hold, and not to be erased: ${held.length === 1 ? 'event' : 'events'} ${held.join(', ')}.`,
    filesText(
      'Files of the archive that say something of them, and stay until they expire',
      files.archived.map(({ file, expires }) => `${file} (${expires})`),
    ),
    filesText('Files of destinations that say something of them: see that they are taken, and deleted', files.waiting),
    filesText('Not looked through', files.unread),
    begun === null && rows.length > 0 && PLACES_TO_LOOK,
    toBeNotifiedText(notified.filter(({ byHub }) => byHub)),
    knownToText(notified.filter(({ byHub }) => !byHub)),
    ...notFollowed.map(({ shared, other, why }) =>
      other === ''
        ? `Not followed: events that say ${oneLine(shared)}, and no other identifier; ${why}.`
        : `Not followed: ${oneLine(other)} shares ${oneLine(shared)}; ${why}. The same person? Say --also ${oneLine(other)}.`,
    ),
    isAmbiguous &&
      'Several people have this address, number or id: say whom by an e-mail address or a customer id that is theirs alone, or who is the same (--also).',
  ])
}

function erasedText(erased: ErasedPerson, proofTo: string | null): string {
  const { proof, act } = erased
  if (proof === null) return `${foundText(erased)}\nNothing was changed.`
  const { secondPass, pseudonym, touched } = proof
  const bytes = secondPass.searched.reduce((sum, one) => sum + one.bytes, 0)
  return joined([
    `They are ${pseudonym} from now on (audit entry ${act}).`,
    table(['table', 'rows'], Object.entries(touched), ''),
    `Second pass: ${bytes} bytes looked through, ${secondPass.found === 0 ? 'nothing of the person found' : `${pluralize(secondPass.found, 'place')} still say something of the person`}.`,
    secondPass.held.length > 0 &&
      `Under a legal hold, and left as they are, though they say something of the person: ${secondPass.held.length === 1 ? 'event' : 'events'} ${secondPass.held.join(', ')}.`,
    ...secondPass.warnings,
    noticesText(erased.notices),
    knownToText(erased.notified.filter(({ byHub }) => !byHub)),
    proofTo && `The proof is in ${proofTo}: keep it for as long as there are backups of before.`,
  ])
}

function knownToText(notified: FoundPerson['notified']): string | null {
  if (notified.length === 0) return null
  const systems = notified.map(({ destination, deliveries, theirIds }) => {
    const as = theirIds.map((id) => `, customer ${oneLine(id)}`).join('')
    return `${destination} (${deliveries === 0 ? 'it sent data' : pluralize(deliveries, 'delivery')}${as})`
  })
  return `They know of the person, and an operator has to ask them to erase: ${systems.join(', ')}.`
}

function toBeNotifiedText(notified: FoundPerson['notified']): string | null {
  const names = notified.map(({ destination }) => destination)
  return names.length === 0 ? null : `To be notified when they are erased: ${names.join(', ')}.`
}

function noticesText(notices: ErasedPerson['notices']): string | null {
  const those = notices.map(({ destination, delivery, state }) => `${destination} (delivery ${delivery}, ${state})`)
  return notices.length === 0
    ? null
    : `Notified to erase them: ${those.join(', ')}. Until it is delivered, what they must know is kept sealed; the key goes then.`
}

function filesText(what: string, files: readonly string[]): string | null {
  const some = files.slice(0, 20).map(oneLine).join(', ')
  return files.length === 0 ? null : `${what}: ${some}${files.length > 20 ? ` and ${files.length - 20} more` : ''}.`
}

function list(what: string, values: readonly string[]): string | null {
  return values.length === 0 ? null : `${what}: ${values.map(oneLine).join(', ')}`
}
