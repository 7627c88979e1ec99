import { Command } from 'commander'
import type { SigningKeys } from '../../admin/certificates/certificates.ts'
import type { Certificate } from '../../domain/ledger/certificate/certificate.ts'
import type { SigningKey } from '../../domain/ledger/certificate/signing-key.ts'
import { certificateFaults } from '../../domain/ledger/certificate/verify.ts'
import { awaited } from '../shared/awaited.ts'
import { createClient } from '../shared/client.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { createNewFile } from '../shared/new-file.ts'
import { complain, show } from '../shared/print.ts'
import { table } from '../shared/table.ts'
import { when } from '../shared/times.ts'
import { certificatePage } from './page.ts'
import { readCertificate } from './read.ts'
import { certificateText } from './text.ts'

const make = new Command('make')
  .description('State what the hub has of a day of a store, signed')
  .requiredOption('--store <number>', "the store's number, or the platform's id")
  .requiredOption('--day <day>', "the store's own day, such as 2026-11-20; it has to be over")
  .option('--out <file>', 'write it there, as JSON')
  .option('--page <file>', 'write a page to print there, as HTML')
  .option('--json', 'print JSON')
  .action(async ({ store, day, out, page, json }) => {
    const client = await createClient(process.env)
    await using file = out ? await createNewFile(out) : null
    await using print = page ? await createNewFile(page) : null
    const certificate = await awaited('Not waited for: no certificate was written.', (signal) =>
      client.post<Certificate>('/admin/certificates', { store, day }, signal),
    )
    await file?.write(`${JSON.stringify(certificate, null, 2)}\n`)
    await print?.write(certificatePage(certificate))
    show(json, certificate, () => certificateText(certificate))
  })

const verify = new Command('verify')
  .description('Recompute a certificate from its rows, and check its signature; asks nobody')
  .argument('<file>', 'as "certificate make --out" wrote it')
  .option('--key <id>', 'the key that it has to be signed with ("certificate keys" shows them)')
  .option('--page <file>', 'write a page to print there, as HTML, where it holds')
  .option('--json', 'print JSON')
  .action(async (file, { key = null, page, json }) => {
    const certificate = await readCertificate(file)
    const faults = certificateFaults(certificate, key)
    const holds = faults.length === 0
    await using print = holds && page ? await createNewFile(page) : null
    await print?.write(certificatePage(certificate))
    const head = holds ? `It holds: nobody has changed it since the key ${certificate.key.id} signed it.` : null
    show(json, { holds, faults, key: certificate.key.id, verdict: certificate.verdict }, () =>
      head === null ? faults.join('\n') : `${head}\n\n${certificateText(certificate)}`,
    )
    if (holds && key === null && !json)
      complain('Whose key that is, "tillbridge certificate keys" of the hub tells; --key <id> insists on it.')
    if (!holds) process.exitCode = EXIT.problem
  })

const keys = new Command('keys')
  .description('The keys that certificates are signed with, without what is secret')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const found = await client.get<SigningKeys>('/admin/certificates/keys')
    show(json, found, () => keyTable(found.keys))
  })

const rotate = new Command('rotate-key')
  .description('Sign with a new key from now on; what the old ones signed stays good')
  .option('--json', 'print JSON')
  .action(async ({ json }) => {
    const client = await createClient(process.env)
    const made = await client.post<SigningKey>('/admin/certificates/keys/rotate', {})
    show(json, made, () => `${made.id} signs from now on.`)
  })

export const certificate = new Command('certificate')
  .description('Proof of a day of a store, for an auditor')
  .addCommand(make)
  .addCommand(verify)
  .addCommand(keys)
  .addCommand(rotate)

function keyTable(rows: readonly SigningKey[]): string {
  return table(
    ['id', 'made', 'by', 'retired', 'public key'],
    rows.map(({ id, createdAt, createdBy, retiredAt, publicKey }) => [
      ...[id, when(createdAt), createdBy],
      ...[when(retiredAt), publicKey],
    ]),
    'There is none yet: the first certificate makes one.',
  )
}
