import { basename } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { PUSH_DELAYS } from '../../domain/queue/retry.ts'
import { UserError } from '../../domain/values/errors.ts'
import { FORMATS, type Format, formatOf } from '../../import/pieces.ts'
import { listenForInterrupt } from '../../lib/interrupt.ts'
import { EXIT } from '../shared/exit-codes.ts'
import { carried, hubUrl } from '../shared/hub-url.ts'
import { say, show } from '../shared/print.ts'
import { createProgress } from '../shared/progress.ts'
import { type Rehearsed, type Report, reportText } from './report.ts'
import { type Push, RESOURCES, send, type What } from './send.ts'

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
    .argument('[file]', '.csv, .json (an array) or .ndjson, in UTF-8')
    .option('--template', 'print a CSV file to begin with')
    .option('--dry-run', 'have the file checked; nothing is taken')
    .option('--no-wait', 'end when the hub has it, not when the platform has it')
    .option('--again', 'send a file once more that was taken before')
    .option('--key <key>', 'an API key of "keys create"; better in TILLBRIDGE_KEY, where others do not see it')
    .option('--idempotency-key <key>', 'the name of this push, instead of one made of the file')
    .addOption(new Option('--format <format>', 'what the file is, if its name does not tell').choices(FORMATS))
    .addOption(new Option('--decimal <sign>', 'how the numbers of a CSV file are written').choices(['point', 'comma']))
    .option('--ignore <columns>', 'columns of a CSV file to pass over, with commas between', listOf, [])
    .option('--retries <count>', 'how often to try again when nobody answers', countOf, 5)
    .option('--json', 'print JSON')
    .action((file: string | undefined, options: Options) => run(what, file, options))
}

interface Options {
  template?: true
  dryRun?: true
  wait: boolean
  again?: true
  force?: true
  key?: string
  idempotencyKey?: string
  format?: Format
  decimal?: 'point' | 'comma'
  ignore: string[]
  retries: number
  mode?: 'upsert' | 'insert'
  directory?: true
  json?: true
}

async function run(what: What, file: string | undefined, options: Options): Promise<void> {
  const { decimal = null, ignore, idempotencyKey, wait, again, json, dryRun = false } = options
  if (options.template) return say(template(what))
  if (file === undefined)
    throw new UserError(`Say which file: push ${what} <file>. --template prints one to begin with.`)
  const format = options.format ?? formatOf(file)
  if (!format)
    throw new UserError(
      `${basename(file)} does not end in .csv, .tsv, .json, .ndjson or .jsonl: say --format csv, json or ndjson.`,
    )
  const given = options.key ?? process.env.TILLBRIDGE_KEY
  if (!given)
    throw new UserError(
      `Set TILLBRIDGE_KEY to an API key. "tillbridge keys create <system> --may ${RESOURCES[what]}" makes one, at the hub.`,
    )
  const asked: Push = {
    ...{ path: file, what, format, decimal, ignore, dryRun, wait, idempotencyKey },
    query: {
      ...(options.mode === 'insert' && { mode: 'insert' }),
      ...(options.force && { force: 'true' }),
      ...(options.directory && { directoryOnly: 'true' }),
    },
    again: again && Date.now().toString(36),
    url: await hubUrl(process.env),
    key: carried(options.key === undefined ? 'TILLBRIDGE_KEY' : '--key', given),
    waits: PUSH_DELAYS.slice(0, options.retries),
  }
  using interrupt = listenForInterrupt()
  const report = await send(asked, createProgress(process.stderr), interrupt)
  show(json, report, () => reportText(report))
  process.exitCode = isWell(report) ? EXIT.well : EXIT.problem
}

function isWell(report: Report | Rehearsed): boolean {
  if (report.refused > 0 || !('submission' in report)) return report.refused === 0
  const { submission, unrouted, failed, deliveries } = report
  const bad = unrouted + failed.length + (deliveries?.dead ?? 0) + (deliveries?.held ?? 0)
  return submission !== null && bad === 0
}

function listOf(text: string): string[] {
  return text.split(',').map((part) => part.trim())
}

function countOf(text: string): number {
  if (/^\d+$/.test(text)) return Math.min(Number(text), PUSH_DELAYS.length)
  throw new InvalidArgumentError('a whole number')
}
