import { z } from 'zod'
import { ROLES } from '../domain/role.ts'
import { UserError } from '../domain/values/errors.ts'
import { hashPassword } from '../lib/password.ts'
import type { AdminContext } from './context.ts'
import { type Actor, get, NOTHING, notFound, post, type Route } from './routes.ts'

const Name = z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,39}$/u, {
  error: 'a name of at most 40 letters, digits and the signs . _ @ -',
})
const Password = z.string().min(12, 'at least 12 characters').max(200, 'at most 200 characters')
const Added = z.strictObject({ name: Name, role: z.enum(ROLES), password: Password })
const Changed = z.strictObject({ password: Password })

/** The console's users. What is done is in the audit, without the password. */
export function userRoutes({ storage, clock, logger }: AdminContext): Route[] {
  const actOf = (actor: Actor, action: string, selection: object) => {
    return { ...actor, at: clock.now(), action, selection, changed: 1 }
  }

  function requireFound(isFound: boolean, name: string): void {
    if (!isFound) throw notFound(`There is no user "${name}". "tillbridge users list" shows them.`)
  }

  return [
    get('/users', NOTHING, async () => ({ users: await storage.consoleUsers() })),

    post('/users', 'add-user', Added, async ({ asked: { name, role, password }, actor, status }) => {
      const user = { name, role, createdAt: clock.now(), createdBy: actor.by, disabledAt: null }
      const act = actOf(actor, 'add-user', { user: name, role })
      if (!(await storage.addConsoleUser({ ...user, password: await hashPassword(password) }, act)))
        throw new UserError(
          `name: there is a user "${name}". "tillbridge users password ${name}" gives a new password.`,
        )
      logger.warn({ user: name, role, by: actor.by }, 'user.added')
      status(201)
      return user
    }),

    post('/users/:name/password', 'set-password', Changed, async ({ params: { name = '' }, asked, actor }) => {
      const act = actOf(actor, 'set-password', { user: name })
      requireFound(await storage.setConsolePassword(name, await hashPassword(asked.password), act), name)
      logger.warn({ user: name, by: actor.by }, 'user.password-set')
      return { name }
    }),

    post('/users/:name/disable', 'disable-user', NOTHING, async ({ params: { name = '' }, actor }) => {
      requireFound(await storage.disableConsoleUser(name, actOf(actor, 'disable-user', { user: name })), name)
      logger.warn({ user: name, by: actor.by }, 'user.disabled')
      return { name }
    }),
  ]
}
