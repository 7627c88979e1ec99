import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/*
 * `npm run migrations`: writes the migration of each engine anew from its schema. There is one as long as no version is
 * released; from the first release on, what is there stays, and a change of the schema is a migration of its own.
 */

/** Keyed by what they are looked up by, and small: one tree instead of a table and an index. */
const WITHOUT_ROWID = ['keys', 'acknowledged', 'audit_deliveries', 'audit_events', 'search_keys']

for (const [engine, config] of [
  ['sqlite', 'drizzle.config.ts'],
  ['postgres', 'drizzle.postgres.config.ts'],
]) {
  const folder = `src/storage/${engine}/migrations`
  rmSync(folder, { recursive: true, force: true })
  execFileSync('drizzle-kit', ['generate', '--config', config, '--name', 'start'], { stdio: 'inherit' })
  const file = `${folder}/${readdirSync(folder).find((name) => name.endsWith('.sql'))}`
  const generated = readFileSync(file, 'utf8').split('--> statement-breakpoint\n').map(withoutRowid)
  const byHand = readFileSync(`src/storage/${engine}/by-hand.sql`, 'utf8')
  writeFileSync(file, [...generated, byHand].join('--> statement-breakpoint\n'))
}

function withoutRowid(statement) {
  const isOne = WITHOUT_ROWID.some((table) => statement.startsWith(`CREATE TABLE \`${table}\``))
  return isOne ? statement.replace(/\);\n$/, ') WITHOUT ROWID;\n') : statement
}
