import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Command } from 'commander'
import { parse } from 'yaml'
import type { z } from 'zod'
import type { AdapterKit, CaseResult } from '../adapter-kit/kit.ts'
import { builtInNames, isPath, loadAdapter } from '../adapters/index.ts'
import { packageNameOf } from '../adapters/packages.ts'
import { loadConfig } from '../config/load.ts'
import { configPathIn } from '../config/placeholders.ts'
import { messageOf, UserError } from '../domain/values/errors.ts'
import { pluralize } from '../domain/values/text.ts'
import { OWN_VERSION } from '../lib/own-version.ts'
import { isSecret } from '../lib/schema.ts'
import { abilitiesOf } from '../ports/perform.ts'
import { group } from './shared/command.ts'
import { EXIT } from './shared/exit.ts'
import { type Columns, oneLine, show, tableOf } from './shared/output.ts'

const TEMPLATES = join(import.meta.dirname, '..', '..', 'config', 'adapter')
const ZOD = '^4.6.7'

const create = new Command('new')
  .description('Write an adapter to begin with: a package of 30 lines, and the kit that proves it')
  .argument('<name>', 'what config is to call it: labels')
  .argument('[folder]', 'where (a folder that is not there yet, or empty)')
  .action(async (written: string, folder?: string) => {
    const name = packageNameOf(written)
    if (name === null) throw new UserError(`"${oneLine(written)}" is no name of a package: labels, or @acme/labels.`)
    const short = name.replace(/^(@[^/]+\/)?tillbridge-adapter-/, '')
    if (builtInNames.includes(short))
      throw new UserError(`"${short}" is a built-in adapter, which config would mean: take another name.`)
    const place = folder ?? `tillbridge-adapter-${short}`
    if (existsSync(place) && (await readdir(place)).length > 0)
      throw new UserError(`The folder ${place} is not empty: name another one.`)
    await mkdir(place, { recursive: true })
    const source = await readFile(join(TEMPLATES, 'index.js'), 'utf8')
    await writeFile(join(place, 'index.js'), source.replace("name: 'queue'", `name: '${short}'`))
    await cp(join(TEMPLATES, 'kit.js'), join(place, 'kit.js'))
    const manifest = {
      ...{ name, version: '1.0.0', type: 'module', exports: './index.js', files: ['index.js', 'kit.js'] },
      peerDependencies: { tillbridge: `^${OWN_VERSION}` },
      dependencies: { zod: ZOD },
    }
    await writeFile(join(place, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    const about = `An adapter of Tillbridge. In config: \`adapter: ${short}\`. Proven by \`tillbridge adapter test .\``
    await writeFile(join(place, 'README.md'), `# ${name}\n\n${about}\n`)
    console.log(`${place} has an adapter of an example queue, and its kit. Next: tillbridge adapter test ${place}`)
  })

const checking = new Command('check')
  .description('Say which options an adapter takes; with --options also whether these are right, and its ports')
  .argument('<adapter>', 'as config names it, or the folder of its package')
  .option('--options <file>', 'YAML: its options alone, or a config with destinations of this adapter')
  .option('--json', 'print JSON')
  .action(async (name: string, { options: file, json }) => {
    const adapter = await named(name)
    const options = Object.entries(adapter.options.shape).map(([option, schema]) => {
      const isNeeded = !(schema as z.ZodType).safeParse(undefined).success
      const about = (schema as z.ZodType).description ?? ''
      return { option, needed: isNeeded ? 'yes' : '', secret: isSecret(schema as z.ZodType) ? 'yes' : '', about }
    })
    const given = file === undefined ? [] : await optionsIn(resolve(file), name)
    const uses = await Promise.all(given.map(async (one) => ({ ...one, ...(await checked(adapter, one.options)) })))
    const shown = uses.map(({ options: _, ...use }) => use)
    show(json, { name: adapter.name, options, uses: shown }, () =>
      [
        tableOf(OPTIONS, options, `${adapter.name} takes no options.`),
        ...uses.map(({ destination, faults, ports }) =>
          faults.length > 0
            ? `\n${destination}: ${faults.join('\n')}`
            : `\n${destination}: right. Ports: ${ports.join(', ')}`,
        ),
      ].join('\n'),
    )
    if (uses.some(({ faults }) => faults.length > 0)) process.exitCode = EXIT.input
  })

const OPTIONS: Columns<{ option: string; needed: string; secret: string; about: string }> = {
  ...{ option: 'option', needed: 'needed', secret: 'secret', '': 'about' },
}

type Loaded = Awaited<ReturnType<typeof loadAdapter>>

async function named(name: string): Promise<Loaded> {
  const isFolder = isPath(name) || existsSync(join(name, 'package.json'))
  return isFolder ? await loadAdapter(resolve(name), '/') : await loadAdapter(name, dirname(configPathIn(process.env)))
}

async function optionsIn(file: string, name: string): Promise<{ destination: string; options: object }[]> {
  const options: unknown = await readFile(file, 'utf8')
    .then(parse)
    .catch((cause: unknown) => {
      throw new UserError(`${file} cannot be read: ${messageOf(cause)}`, { cause })
    })
  if (options === null || typeof options !== 'object') throw new UserError(`${file} has no options.`)
  if (!('destinations' in options)) return [{ destination: file, options }]
  const adapterOptions = async (adapter: string, folder: string) => (await loadAdapter(adapter, folder)).options
  const { config } = await loadConfig({ path: file, env: process.env, adapterOptions })
  const found = config.destinations.filter(({ adapter }) => adapter === name)
  if (found.length === 0) throw new UserError(`${file} has no destination with "adapter: ${name}".`)
  return found.map((one) => ({ destination: one.name, options: one.options }))
}

async function checked({ options, create }: Loaded, given: object): Promise<{ faults: string[]; ports: string[] }> {
  const parsed = options.safeParse(given)
  if (!parsed.success)
    return { faults: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`), ports: [] }
  try {
    await using instance = create(parsed.data, { destination: 'check', timeout: 20_000, concurrency: 1 })
    const methods = abilitiesOf(instance.ports).filter((one) => one.includes('.'))
    return { faults: [], ports: instance.intake ? [...methods, 'intake'] : methods }
  } catch (error) {
    return { faults: [messageOf(error)], ports: [] }
  }
}

const proving = new Command('test')
  .description(
    'Run an adapter through the kit: faults between it and its system, and exactly one effect, or held and named',
  )
  .argument('<folder>', 'of its package, with a kit.js')
  .option('--json', 'print JSON')
  .addHelpText('after', '\nExit code 0: each case holds. 1: one fails. 2: the package or its kit cannot be used.')
  .action(async (folder: string, { json }) => {
    if (!existsSync(join(folder, 'package.json')))
      throw new UserError(`There is no package.json in ${folder}: "tillbridge adapter new" writes one.`)
    const adapter = await loadAdapter(resolve(folder), '/')
    const file = ['kit.js', 'kit.ts'].map((name) => resolve(folder, name)).find(existsSync)
    if (file === undefined) throw new UserError(`There is no kit.js in ${folder}: "tillbridge adapter new" writes one.`)
    const { testAdapter } = await import('../adapter-kit/kit.ts')
    const { default: kit }: { default?: AdapterKit } = await import(pathToFileURL(file).href)
    if (typeof kit?.start !== 'function') throw new UserError(`${file} lacks a default export with start().`)
    const results = await testAdapter(adapter, kit)
    const failed = results.filter(({ verdict }) => verdict === 'FAIL').length
    const end = failed > 0 ? `${failed} of ${pluralize(results.length, 'case')} failed.` : 'Each case holds.'
    show(json, { adapter: adapter.name, results }, () => `${tableOf(RESULTS, results, '')}\n${end}`)
    if (failed > 0) process.exitCode = EXIT.problem
  })

const RESULTS: Columns<CaseResult> = { call: 'call', case: 'case', verdict: 'verdict', '': 'detail' }

export const adapter = group('adapter', 'Write and prove an adapter of your own', create, checking, proving)
