import { text as textOf } from 'node:stream/consumers'
import { Argument, Command } from 'commander'
import { ROLES } from '../domain/role.ts'
import { makePassword } from '../lib/password.ts'
import type { ConsoleUser } from '../storage/rows.ts'
import { createClient, pathPart } from './shared/client.ts'
import { asks, choice, group } from './shared/command.ts'
import { type Columns, printError, show, tableOf, when } from './shared/output.ts'

const USERS: Columns<ConsoleUser> = {
  name: 'name',
  role: 'role',
  added: ({ createdAt }) => when(createdAt),
  by: 'createdBy',
  disabled: ({ disabledAt }) => when(disabledAt),
}

/** Made up and shown once, or read from the standard input. */
async function passwordOf(isGiven: boolean): Promise<{ password: string; made: string | null }> {
  if (isGiven) return { password: (await textOf(process.stdin)).replace(/\r?\n$/, ''), made: null }
  const password = makePassword()
  return { password, made: password }
}

function withPassword(command: Command): Command {
  return command
    .option('--password-stdin', 'read the password from the standard input; else one is made up and shown this once')
    .option('--json', 'print JSON')
}

function showMade(json: boolean | undefined, name: string, made: string | null): void {
  show(json, { name, ...(made !== null && { password: made }) }, () => made ?? `${name} may sign in.`)
  if (!json && made !== null) printError(`The password of ${name}. It is not shown again: keep it now.`)
}

const add = withPassword(new Command('add'))
  .description('Add a user of the console')
  .argument('<name>')
  .addOption(choice('--role <role>', 'what they may see and do', ROLES).makeOptionMandatory())
  .action(async (name, { role, passwordStdin, json }) => {
    const { password, made } = await passwordOf(passwordStdin)
    await (await createClient(process.env)).post('/admin/users', { name, role, password })
    showMade(json, name, made)
  })

const newPassword = withPassword(new Command('password'))
  .description('Give a user a new password; a disabled one may sign in again')
  .argument('<name>')
  .action(async (name, { passwordStdin, json }) => {
    const { password, made } = await passwordOf(passwordStdin)
    await (await createClient(process.env)).post(`/admin/users/${pathPart(name)}/password`, { password })
    showMade(json, name, made)
  })

const disable = asks<ConsoleUser>('disable', 'POST /admin/users/:name/disable', {
  about: 'Shut a user out, at once',
  with: (command) => command.addArgument(new Argument('<name>')),
  asked: () => ({}),
  text: ({ name }) => `${name} is shut out.`,
})

const list = asks<{ users: ConsoleUser[] }>('list', 'GET /admin/users', {
  about: 'Users of the console',
  text: ({ users: all }) => tableOf(USERS, all, 'There are no users.'),
})

export const users = group('users', 'Who may use the console (/console)', add, newPassword, disable, list)
