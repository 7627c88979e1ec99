import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { look } from '../../../test/adapters/checked.ts'
import { saleBooking } from './bookings.ts'
import { book, start } from './kit.ts'
import { type Corner, type SqlServer, sqlServers } from './servers.ts'

const SECRETS = ['wrong-pass-word', 'of-the-tests-only']

for (const server of await sqlServers()) {
  if (server.url === null) describe.skip(`looking at ${server.name} (${server.why})`, () => stories(server))
  else describe(`looking at ${server.name}`, () => stories(server))
}

function stories(server: SqlServer): void {
  test('When tables are not there yet, then they will be made, and are not by looking; once written to, all is right', async () => {
    await using corner = await server.corner()
    await using at = start(corner, { only: ['sales'] })
    const before = await look(at.instance)
    expect(before.states.slice(0, 3)).toEqual(['connection: ok', 'credentials: ok', `table ${nameIn(corner)}: note`])
    expect(before.about(`table ${nameIn(corner)}`)).toBe('It is not there: the next record adds it, if this user may.')
    expect(await tablesIn(corner)).toBe(false)
    await book(at.port, 'a', saleBooking())
    const { states } = await look(at.instance)
    expect(states.length).toBeGreaterThan(3)
    expect(states.filter((state) => !state.endsWith(': ok'))).toEqual([])
    expect(await corner.run(`select booking_key from ${corner.table('sales')}`)).toEqual([{ booking_key: 'a' }])
  })

  test('When tables are not there and the hub is to make none, then it says what makes them', async () => {
    await using corner = await server.corner()
    await using at = start(corner, { only: ['sales'], createTables: false })
    const { states, about } = await look(at.instance)
    expect(states).toContain(`table ${nameIn(corner)}: problem`)
    expect(about(`table ${nameIn(corner)}`)).toMatch(/^It is not there, and createTables is false\. run: create /)
  })

  test('When a column is missing, or the table is somebody else’s, then that is said', async () => {
    await using corner = await server.corner()
    await using at = start(corner, { only: ['sales'] })
    await book(at.port, 'a', saleBooking())
    const name = `table ${nameIn(corner)}`
    await corner.run(`alter table ${corner.table('sales')} drop column total`)
    expect((await look(at.instance)).about(name)).toBe(
      `There is no column ${nameIn(corner)}.total: the next record adds it, if this user may.`,
    )
    await corner.run(`drop table ${corner.table('sales')}`)
    await corner.run(`create table ${corner.table('sales')} (id integer)`)
    expect((await look(at.instance)).about(name)).toMatch(/^It is something else: there is no column .*booking_key/)
  })

  test('When the user lacks a right, then it is named, and nothing was written', async () => {
    await using corner = await server.corner()
    await using owner = start(corner, { only: ['sales'] })
    await book(owner.port, 'a', saleBooking())
    await using user = await addUser(server, corner)
    await using at = start(corner, { only: ['sales'], url: user.url })
    const name = `table ${nameIn(corner)}`
    expect((await look(at.instance, { secrets: SECRETS })).about(name)).toMatch(/no right on it\. grant select, insert/)
    await using elsewhere = start(corner, { only: ['sales'], url: user.url, tablePrefix: 'none_of_ours_' })
    expect((await look(elsewhere.instance)).states).toContain(
      `table none_of_ours_sales: ${server.name === 'PostgreSQL' ? 'note' : 'problem'}`,
    )
    await user.grant('select')
    expect((await look(at.instance, { secrets: SECRETS })).about(name)).toMatch(/^This user may not insert and update/)
    await user.grant('insert, update, delete')
    expect((await look(at.instance, { secrets: SECRETS })).states).toContain(`${name}: ok`)
    expect(await corner.run(`select booking_key from ${corner.table('sales')}`)).toEqual([{ booking_key: 'a' }])
  })

  test.each([
    ['the password is wrong', { username: 'nobody_of_this_name', password: 'wrong-pass-word' }, 'credentials: problem'],
    ['there is no such database', { pathname: '/no_such_database' }, 'connection: problem'],
    ['nobody listens', { port: '1' }, 'connection: problem'],
  ])('When %s, then that is all that is said', async (_, given, state) => {
    await using corner = await server.corner()
    await using at = start(corner, { url: Object.assign(new URL(corner.url), given).toString() })
    expect((await look(at.instance, { secrets: SECRETS })).states).toEqual([state])
  })
}

function nameIn(corner: Corner): string {
  return corner.table('sales').replace(/^.*\./, '')
}

async function tablesIn(corner: Corner): Promise<boolean> {
  const found = await corner.run(
    `select 1 as there from information_schema.tables where table_name = '${nameIn(corner)}'`,
  )
  const schema = corner.options.schema
  return typeof schema === 'string'
    ? (await corner.run(`select 1 from pg_tables where schemaname = '${schema}'`)).length > 0
    : found.length > 0
}

/** A user who may connect, and nothing else yet. */
async function addUser({ name }: SqlServer, corner: Corner) {
  const user = `look_${randomUUID().slice(0, 8)}`
  const url = Object.assign(new URL(corner.url), { username: user, password: 'of-the-tests-only' }).toString()
  const isPostgres = name === 'PostgreSQL'
  const account = isPostgres ? user : `'${user}'@'%'`
  const { schema } = corner.options
  await corner.run(
    isPostgres
      ? `create user ${user} password 'of-the-tests-only'`
      : `create user ${account} identified by 'of-the-tests-only'`,
  )
  if (isPostgres) await corner.run(`grant usage on schema ${schema} to ${user}`)
  else await corner.run(`grant create temporary tables on ${new URL(corner.url).pathname.slice(1)}.* to ${account}`)
  return {
    url,
    async grant(rights: string) {
      for (const { table } of await ownTables())
        await corner.run(`grant ${rights} on ${isPostgres ? `${schema}.` : ''}${table} to ${account}`)
    },
    async [Symbol.asyncDispose]() {
      if (isPostgres) await corner.run(`drop owned by ${user}`)
      await corner.run(`drop user ${account}`)
    },
  }

  async function ownTables() {
    const where = isPostgres ? `table_schema = '${schema}'` : `table_name like '${corner.options.tablePrefix}%'`
    return await corner.run(
      `select table_name as "table" from information_schema.tables where ${where}`.replaceAll(
        '"',
        isPostgres ? '"' : '`',
      ),
    )
  }
}
