import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { comesAlong } from './docker-context.ts'

/*
 * `npm run release` makes what a version is given away as, in `release` (or another folder, named behind `--`): the package, what
 * Docker builds the image of, what is in them (SBOM, licences), and checksums. Two runs on the same commit make the same bytes.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RELEASE = resolve(process.argv[2] ?? join(ROOT, 'release'))
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const as = (ending) => join(RELEASE, `${name}-${version}${ending}`)

rmSync(RELEASE, { recursive: true, force: true })
mkdirSync(RELEASE, { recursive: true })
const built = join(RELEASE, 'built')
run('node', ['tools/build.mjs', built])
run('npm', ['pack', built, '--pack-destination', RELEASE, '--loglevel=error'])
const libraries = readFileSync(join(built, 'LIBRARIES.txt'), 'utf8')
rmSync(built, { recursive: true })

packImage(as('-image.tar.gz'))
writeFileSync(as('-libraries.txt'), libraries)
writeFileSync(as('-sbom.json'), `${JSON.stringify(bom(libraries), null, 2)}\n`)
const sums = readdirSync(RELEASE)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(RELEASE, file)))
        .digest('hex')}  ${file}\n`,
  )
writeFileSync(join(RELEASE, 'SHA256SUMS'), sums.join(''))
console.log(sums.join(''))

/** `docker build - < file`: what .dockerignore lets in, as anybody's, of no time. */
function packImage(file) {
  const listed = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z']).split('\0')
  const files = listed.filter((path) => path !== '' && comesAlong(path) && existsSync(join(ROOT, path)))
  const plain = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=a+rX,u+w,go-w']
  const args = ['--create', `--file=${file}`, '--use-compress-program=gzip -n', ...plain, '--null', '--files-from=-']
  run('tar', args, ['Dockerfile', '.dockerignore', ...files].join('\0'))
}

/** Of all that npm knows of, what is in the package. Without its number and time, which differ each time. */
function bom(libraries) {
  const inside = new Set(
    [...libraries.matchAll(/^(\S+) (\S+), \S+$/gm)].map(([, name, version]) => `${name}@${version}`),
  )
  const { serialNumber: _, ...all } = JSON.parse(run('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only']))
  delete all.metadata.timestamp
  const components = all.components.filter(({ name, version }) => inside.has(`${name}@${version}`))
  const refs = new Set([all.metadata.component['bom-ref'], ...components.map((one) => one['bom-ref'])])
  const dependencies = all.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  return { ...all, components, dependencies }
}

function run(program, args, input) {
  return execFileSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    input,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
