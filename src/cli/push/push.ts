import { basename } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { PUSH_DELAYS } from '../../domain/queue/retry.ts'
import { UserError } from '../../domain/values/errors.ts'
import { FORMATS, type Format, formatOf } from '../../import/pieces.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import type { LineFaults } from '../../store/screens.ts'
import { hubUrl, requireSendable } from '../shared/client.ts'
import { EXIT } from '../shared/exit.ts'
import { oneLine, say, show } from '../shared/output.ts'
import { createProgress, grouped } from '../shared/progress.ts'
import { joined } from '../shared/question.ts'
import { type FailedLine, RESOURCES, type Rehearsed, type Report, send, type What } from './send.ts'

const TEMPLATES: Readonly<Record<What, string>> = {
  products: `extId,number,variant,name,groupName,subgroupName,color,season,brand,price,cost,description,images,pictureRef,isWebAvailable,createProductSpecificSize,gender,tags,isStockProduct,isNoLabel,sizeSystem,productPrices.Norway,gtin,externalSKU,label,labelSortIndex,stockQty.3
1001-BLK,1001,BLK,Rain jacket,Jackets,,Black,AW26,Acme,1399.50,520.00,"Waterproof, with a hood",https://example.com/1001-BLK.jpg,,true,true,"m, f","rain,outdoor",true,false,,1399.50,7040000000016,1001-BLK-S,S,1,4
1001-BLK,1001,BLK,Rain jacket,Jackets,,Black,AW26,Acme,1399.50,520.00,,,,,,,,,,,,7040000000023,1001-BLK-M,M,2,7`,
  prices: `list,productExtId,gtin,productId,price,validFrom,validTo
Norway,1001-BLK,,,1399.50,2026-12-01T00:00:00Z,2026-12-31T23:00:00Z
Norway,1002-RED,,,899.00,,`,
  costs: `currency,stockId,stockNo,productExtId,gtin,productId,price
NOK,,,1001-BLK,,,520.00
,3,,1002-RED,,,310.00`,
  stock: `stockId,stockNo,gtin,quantity,description
3,,7040000000016,4,
3,,7040000000023,7,`,
  customers: `extId,email,firstName,lastName,companyName,phone,phoneCountryPrefix,address,postalCode,city,countryCode,isCompany,orgNum,agreedSendEmail,agreedSendSms,tags,birthDay,birthYear,gender,langCode,cardNo,stdDiscount,isEmployee,isInvoice,suppressCampaigns,description,registeredStoreId,customerId,changedAt
C-1,kari@example.com,Kari,Nordmann,,40000001,47,Storgata 1,0155,Oslo,NO,,,true,false,club,1985-05-17,,,no,,,,,,,,,
C-2,ola@example.com,Ola,Nordmann,,40000002,47,,,Oslo,NO,,,false,false,,,,,,,,,,,,,,`,
}

const SHOWN = 20

const STATES: Readonly<Record<string, string>> = {
  delivered: 'delivered',
  superseded: 'replaced by newer ones',
  dead: 'failed',
  held: 'held for a person',
  skipped: 'skipped by a person',
}

/** A file to begin with: all columns, two rows. */
export function template(what: What): string {
  return TEMPLATES[what]
}

export const push = new Command('push')
  .description('Send a file of master data to the hub, which brings it to the platform')
  .addCommand(
    pushOf('products', 'Products; in CSV a size a row')
      .addOption(
        new Option('--mode <mode>', 'insert: leave alone what the platform has already')
          .choices(['upsert', 'insert'])
          .default('upsert'),
      )
      .option('--force', 'send on also what the platform acknowledged as it is'),
  )
  .addCommand(pushOf('prices', 'Prices of price lists; in CSV a price a row'))
  .addCommand(pushOf('costs', 'Cost prices, of a currency or of a stock; in CSV a cost price a row'))
  .addCommand(pushOf('stock', 'Stock levels (what there is, not what changed); in CSV a level a row'))
  .addCommand(
    pushOf('customers', "Customers, also for the till's questions; in CSV a customer a row").option(
      '--directory',
      "only for the hub's own directory, which answers tills; not for the platform",
    ),
  )

function pushOf(what: What, description: string): Command {
  return new Command(what)
    .description(description)
    .argument('[file]', '.csv or .ndjson, in UTF-8')
    .option('--template', 'print a CSV file to begin with')
    .option('--dry-run', 'have the file checked; nothing is taken')
    .option('--no-wait', 'end when the hub has it, not when the platform has it')
    .option('--again', 'send a file once more that was taken before')
    .option('--idempotency-key <key>', 'the name of this push, instead of one made of the file')
    .addOption(new Option('--format <format>', 'what the file is, if its name does not tell').choices(FORMATS))
    .addOption(new Option('--decimal <sign>', 'how the numbers of a CSV file are written').choices(['point', 'comma']))
    .option('--ignore <columns>', 'columns of a CSV file to pass over, with commas between', listOf, [])
    .option('--retries <count>', 'how often to try again when nobody answers', countOf, 5)
    .option('--json', 'print JSON')
    .action((file: string | undefined, options) => run(what, file, options))
}

// biome-ignore lint/suspicious/noExplicitAny: as commander has options.
async function run(what: What, file: string | undefined, options: Record<string, any>): Promise<void> {
  if (options.template) return say(template(what))
  if (file === undefined)
    throw new UserError(`Say which file: push ${what} <file>. --template prints one to begin with.`)
  const format: Format | null = options.format ?? formatOf(file)
  if (!format)
    throw new UserError(
      `${basename(file)} does not end in .csv, .tsv, .ndjson or .jsonl: say --format csv or ndjson. A JSON array is made NDJSON by: jq -c '.[]'`,
    )
  const key = process.env.TILLBRIDGE_KEY
  if (!key)
    throw new UserError(
      `Set TILLBRIDGE_KEY to an API key. "tillbridge keys create <system> --may ${RESOURCES[what]}" makes one, at the hub.`,
    )
  const { decimal = null, ignore, idempotencyKey, wait, dryRun = false, json } = options
  using interrupt = listenForInterrupt()
  const report = await send(
    {
      ...{ path: file, what, format, decimal, ignore, dryRun, wait, idempotencyKey },
      query: {
        ...(options.mode === 'insert' && { mode: 'insert' }),
        ...(options.force && { force: 'true' }),
        ...(options.directory && { directoryOnly: 'true' }),
      },
      again: options.again && Date.now().toString(36),
      url: await hubUrl(process.env),
      key: requireSendable('TILLBRIDGE_KEY', key),
      waits: PUSH_DELAYS.slice(0, options.retries),
    },
    createProgress(process.stderr),
    interrupt,
  )
  show(json, report, () => reportText(report))
  process.exitCode = isWell(report) ? EXIT.well : EXIT.problem
}

function isWell(report: Report | Rehearsed): boolean {
  if (report.refused > 0 || !('submission' in report)) return report.refused === 0
  const { submission, unrouted, failed, deliveries } = report
  return submission !== null && unrouted + failed.length + (deliveries?.dead ?? 0) + (deliveries?.held ?? 0) === 0
}

function listOf(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}

function countOf(text: string): number {
  if (/^\d+$/.test(text)) return Math.min(Number(text), PUSH_DELAYS.length)
  throw new InvalidArgumentError('a whole number')
}

function reportText(report: Report | Rehearsed): string {
  const { accepted, refused, faults } = report
  if (!('submission' in report))
    return [
      `${grouped(accepted)} would be taken, ${grouped(refused)} refused. Nothing was taken.`,
      ...faultsText('Faults:', refused, faults),
      ...warningsText(report),
    ].join('\n')
  const { submission, duplicates, deliveries, unrouted, failed } = report
  // Customers go to the hub's own directory, too.
  const [where, nobody] =
    report.resource === 'customers'
      ? ['Deliveries', 'the config has neither a platform nor lookups.customers, which keeps the directory']
      : ['Platform', 'the config has none for the platform']
  const before = duplicates > 0 ? `, ${grouped(duplicates)} were taken before` : ''
  return joined([
    submission === null
      ? 'Nothing was taken.'
      : `Submission ${submission}: ${grouped(accepted)} taken${before}, ${grouped(refused)} refused.`,
    ...faultsText(`${grouped(refused)} refused, not sent on:`, refused, faults),
    deliveries && submission !== null && `${where}: ${statesText(deliveries)}.`,
    unrouted > 0 && `${grouped(unrouted)} wanted by no destination: ${nobody}.`,
    ...failedText(failed),
  ])
}

function warningsText({ warnings = [], warningCounts = {} }: Rehearsed): string[] {
  const count = Object.values(warningCounts).reduce((sum, one) => sum + one, 0)
  if (warnings.length === 0) return []
  const texts = warnings.map(({ line, sort, text }) => oneLine(`  ${line ? `line ${line}: ` : ''}${sort}: ${text}`))
  return ['Taken all the same, though the till or reports will miss it:', ...firstOf(texts, count)]
}

function faultsText(head: string, count: number, all: readonly LineFaults[]): string[] {
  const texts = all.flatMap(({ line, faults }) => faults.map((fault) => oneLine(`  line ${line}: ${fault}`)))
  return count === 0 ? [] : [head, ...firstOf(texts, texts.length + count - all.length)]
}

function firstOf(texts: readonly string[], count = texts.length): string[] {
  const shown = texts.slice(0, SHOWN)
  const more = count - shown.length
  return more > 0 ? [...shown, `  … and ${grouped(more)} more (--json)`] : shown
}

function statesText(states: Record<string, number>): string {
  return Object.keys({ ...STATES, ...states })
    .filter((state) => states[state] || state === 'delivered')
    .map((state) => `${grouped(states[state] ?? 0)} ${STATES[state] ?? state}`)
    .join(', ')
}

function failedText(failed: readonly FailedLine[]): string[] {
  if (failed.length === 0) return []
  const texts = failed.map(({ line, entity, state, why, code }) => {
    const about = entity ? ` (${entity})` : ''
    return oneLine(`  line ${line}${about}: ${state === 'held' ? 'held: ' : ''}${why ?? code ?? state}`)
  })
  const onward = 'They are in "tillbridge deliveries list --state dead", and can be retried from there.'
  return ['Failed:', ...firstOf(texts), onward]
}
