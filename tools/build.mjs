import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

/*
 * `npm run build` makes `dist` (or another folder, named behind `--`), the package that is shipped. Everything is in it, its libraries too: whoever installs it
 * downloads and compiles nothing besides. Its code is in `lib`; other files stand where they stand in the checkout.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = resolve(process.argv[2] ?? join(ROOT, 'dist'))

/** The oldest Node that runs the package; those before ignore a dictionary of zstd without a word. What its language lacks is put in. */
const OLDEST_NODE = '22.19'
const NODE22 = join(ROOT, 'tools/node22.mjs')

/** What is started or imported by name, under its name in `lib`. Threads and processes are found where they are started. */
const ENTRIES = {
  main: 'src/main.ts',
  tillbridge: 'src/cli/program.ts',
  adapter: 'src/adapters/public.ts',
  'adapter-files': 'src/adapters/public-files.ts',
  'adapter-messages': 'src/adapters/public-messages.ts',
  'adapter-test': 'src/adapter-kit/kit.ts',
}

/** What packages import, by the name of its entry: with types. */
const TYPED = {
  './adapter': 'adapter',
  './adapter/files': 'adapter-files',
  './adapter/messages': 'adapter-messages',
  './adapter/test': 'adapter-test',
}

/** Libraries that stay files, with those that are needed: native, read as text, or for adapters of an operator's own. */
const AS_FILES = {
  'better-sqlite3': ['LICENSE', 'lib', 'prebuilds'],
  jsonata: ['LICENSE', 'jsonata.js'],
  zod: ['LICENSE', 'index.js', 'v4'],
}

/** Those of them that the hub itself reads from there. */
const EXTERNAL = ['better-sqlite3', 'jsonata']

/** What libraries ask for and do without: native parts, quicker where somebody has compiled them. */
const OPTIONAL = /^(cpu-features|pg-native)$|\.node$/

const FILES = [
  'CHANGELOG.md',
  'LICENSE',
  'bin/*',
  'config/{demo,example}.yaml',
  'config/adapter/*',
  'config/deploy/*',
  'config/push/*',
  'config/sandbox.env',
  'config/tillbridge.schema.json',
  '{src,sandbox}/**/*.css',
  'src/console/live.js',
  'src/storage/*/migrations/**/*.{sql,json}',
  'tools/{compile-cache,ensure-node,lean-memory,needed-node,require-node}.mjs',
  'tools/node24/*.json',
  'tools/start-flags.json',
]

/** Licences of libraries that may be shipped: they ask for no more than to be named. */
const LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]

const manifest = readJson(join(ROOT, 'package.json'))
/** The folders of the libraries of which something is shipped. */
const libraries = new Set()

const noteLibraries = {
  name: 'libraries',
  generateBundle(_, outputs) {
    const ids = Object.values(outputs).flatMap(({ modules = {} }) =>
      Object.keys(modules).filter((id) => modules[id].renderedLength > 0),
    )
    for (const id of ids) {
      const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
      if (folder) libraries.add(folder.replace(/^\0/, ''))
    }
  },
}

rmSync(DIST, { recursive: true, force: true })
await bundle(ENTRIES, join(DIST, 'lib'))
declareTypes(Object.values(TYPED).map((name) => ENTRIES[name]))
for (const file of globSync(FILES, { cwd: ROOT })) cpSync(join(ROOT, file), join(DIST, file), { recursive: true })
const inside = [
  ...Object.keys(AS_FILES).map(copyLibrary),
  ...(await Promise.all(readdirSync(join(ROOT, 'packages')).filter(isApart).sort().map(bundleAdapter))),
]
writeFileSync(join(DIST, 'LIBRARIES.txt'), librariesText())
writeJson(join(DIST, 'package.json'), {
  ...pick(manifest, ['name', 'version', 'description', 'license', 'type', 'bin']),
  engines: { node: `>=${OLDEST_NODE}` },
  exports: { ...typedExports(), './package.json': './package.json' },
  scripts: pick(manifest.scripts, ['postinstall']),
  dependencies: Object.fromEntries(inside.map(({ name, version }) => [name, version])),
  bundleDependencies: inside.map(({ name }) => name),
})

async function bundle(input, dir, given = /^$/) {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(input).map(([name, file]) => [name, join(ROOT, file)])),
    cwd: ROOT,
    platform: 'node',
    transform: {
      target: `node${OLDEST_NODE}`,
      define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
      inject: {
        AsyncDisposableStack: [NODE22, 'AsyncDisposableStack'],
        'RegExp.escape': [NODE22, 'escapeRegExp'],
      },
    },
    external: (id) => EXTERNAL.includes(id) || OPTIONAL.test(id) || given.test(id),
    plugins: [places(dir), noteLibraries],
    onLog(level, { code, message }) {
      if (level === 'warn') throw new Error(`${code}: ${message}`)
    },
  })
  await build.write({
    dir,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // Text of a byte a character takes half the memory, in each thread; LIBRARIES.txt has the licences.
    charset: 'ascii',
    comments: { legal: false, annotation: false, jsdoc: false },
    sourcemap: true,
    // Wherever it is built, and whoever reads it: from the checkout's folder.
    sourcemapPathTransform: (source, map) => relative(ROOT, resolve(dirname(map), source)),
  })
  await build.close()
}

/** All code of a bundle is in one folder: what a file finds beside it is found from there; what it starts is bundled as well. */
function places(dir) {
  const STARTED_OR_HERE = /new URL\('(\.[^']*)\.ts', import\.meta\.url\)|import\.meta\.(url|dirname|filename)\b/g
  return {
    name: 'places',
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: 'import.meta' },
      handler(code, id) {
        const file = relative(dir, join(DIST, relative(ROOT, id))).replace(/\.ts$/, '.js')
        const placed = code.replace(STARTED_OR_HERE, (_, started, here) => {
          if (here === 'url') return `new URL('${file}', import.meta.url).href`
          if (here) return `import.meta.dirname + '/${here === 'dirname' ? dirname(file) : file}'`
          const name = basename(started)
          this.emitFile({ type: 'chunk', id: resolve(dirname(id), `${started}.ts`), fileName: `${name}.js` })
          return `new URL('./${name}.js', import.meta.url)`
        })
        // Lines stay what they are.
        return { code: placed, map: null }
      },
    },
  }
}

function typedExports() {
  const typesOf = (entry) => `./types/${relative('src', ENTRIES[entry]).replace(/\.ts$/, '.d.ts')}`
  return Object.fromEntries(
    Object.entries(TYPED).map(([name, entry]) => [name, { types: typesOf(entry), default: `./lib/${entry}.js` }]),
  )
}

/** Declarations of these files, and of all that they lead to, into `types`. */
function declareTypes(files) {
  const all = mkdtempSync(join(tmpdir(), 'tillbridge-types-'))
  const options = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: all,
    rootDir: join(ROOT, 'src'),
  }
  const typeRoots = [join(ROOT, 'node_modules/@types')]
  const config = { extends: join(ROOT, 'tsconfig.json'), compilerOptions: { ...options, typeRoots }, include: [] }
  writeJson(join(all, 'tsconfig.json'), { ...config, files: files.map((file) => join(ROOT, file)) })
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['--project', all], { stdio: 'inherit' })
  const open = files.map((file) => relative('src', file))
  for (const file of open) {
    const text = readFileSync(join(all, file.replace(/\.ts$/, '.d.ts')), 'utf8')
    const place = join(DIST, 'types', file.replace(/\.ts$/, '.d.ts'))
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(
      place,
      text.replace(/((?:from |import\()["'])(\.[^"']*)\.ts(["'])/g, (_, before, path, after) => {
        const target = join(dirname(file), `${path}.ts`)
        if (!open.includes(target)) open.push(target)
        return `${before}${path}.js${after}`
      }),
    )
  }
  rmSync(all, { recursive: true })
}

/** Those that the hub depends on are in its own bundle. */
function isApart(name) {
  return !(name in manifest.dependencies)
}

/** An adapter of ours, as a package within the package: it is given the Tillbridge that loads it. */
async function bundleAdapter(folder) {
  const { exports: entry, ...own } = readJson(join(ROOT, 'packages', folder, 'package.json'))
  const dir = join(DIST, 'node_modules', folder)
  await bundle({ index: join('packages', folder, entry) }, dir, /^tillbridge\//)
  const said = pick(own, ['name', 'version', 'description', 'license', 'type', 'peerDependencies'])
  writeJson(join(dir, 'package.json'), { ...said, exports: './index.js' })
  return own
}

function copyLibrary(name) {
  const from = join(ROOT, 'node_modules', name)
  const dir = join(DIST, 'node_modules', name)
  // Types of zod are those of the copy that an adapter's author has: two copies of them do not go together.
  const filter = (path) => !/\.(c|m)?ts$|\.cjs$/.test(path)
  for (const file of AS_FILES[name]) cpSync(join(from, file), join(dir, file), { recursive: true, filter })
  const {
    scripts: _,
    dependencies: __,
    devDependencies: ___,
    files: ____,
    ...own
  } = readJson(join(from, 'package.json'))
  writeJson(join(dir, 'package.json'), own)
  libraries.add(from)
  return own
}

/** The libraries in the package, each with its licence. */
function librariesText() {
  const texts = [...libraries].map((folder) => {
    const { name, version, licenses, license = licenses?.[0]?.type } = readJson(join(folder, 'package.json'))
    const [file] = globSync('{LICENSE,LICENCE,License,license}*', { cwd: folder })
    if (!LICENCES.includes(license))
      throw new Error(`${name} ${version} has the licence ${license}: may it be shipped?`)
    return `${name} ${version}, ${license}\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`
  })
  return [...new Set(texts)].sort().join(`\n${'-'.repeat(80)}\n\n`)
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'))
}

function writeJson(file, value) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

function pick(object, names) {
  return Object.fromEntries(names.map((name) => [name, object[name]]))
}
