import { ROLES } from '../../domain/role.ts'
import { type ApiKey, SCOPES } from '../../domain/scope.ts'
import { makePassword } from '../../lib/password.ts'
import type { ConsoleUser } from '../../storage/rows.ts'
import { html } from '../html.ts'
import { act, actForm, age, badge, section, table, time } from '../parts.ts'
import type { Answer, Shown, Visit } from '../visit.ts'
import { afterAct } from './acts.ts'

export const keys: Answer = async (visit) => {
  const { t } = visit
  const { keys: all } = await visit.ask<{ keys: ApiKey[] }>('GET /keys')
  const columns = [
    { head: t('id'), cell: ({ id }: ApiKey) => id },
    { head: t('submissions.system'), cell: ({ system }: ApiKey) => system },
    { head: t('keys.may'), cell: ({ scopes }: ApiKey) => scopes.join(', ') },
    {
      head: t('keys.created'),
      cell: ({ createdAt, createdBy }: ApiKey) => html`${time(visit, createdAt)} ${createdBy}`,
    },
    { head: t('keys.used'), cell: ({ lastUsedAt }: ApiKey) => age(visit, lastUsedAt) },
    {
      head: t('state'),
      cell: ({ id, system, revokedAt }: ApiKey) =>
        revokedAt === null
          ? act(visit, { route: 'POST /keys/:id/revoke', params: { id }, words: 'keys.revoke', of: `${system} ${id}` })
          : badge('plain', t('keys.revoked')),
    },
  ]
  const scopes = html`<fieldset><legend>${t('keys.may')}</legend>${SCOPES.map((scope) => html`<label class="check"><input type="checkbox" name="may:${scope}" value="yes"> <span>${scope}</span></label>`)}</fieldset>`
  return {
    title: t('keys.title'),
    body: html`${table(t('keys.title'), columns, all, t('keys.none'))}
${section('create', t('keys.create'), actForm(visit, { route: 'POST /keys', words: 'keys.create', inputs: [{ name: 'system', label: t('submissions.system'), required: true }], more: scopes, reason: 'none' }))}`,
  }
}

/** The only page that shows it. */
export const createKey: Answer = async (visit) => {
  const { form } = visit
  const may = SCOPES.filter((scope) => form[`may:${scope}`] === 'yes').join(',')
  const { key } = await visit.ask<{ key: string }>('POST /keys', { asked: { system: form.system ?? '', may } })
  return shownOnce(visit, visit.t('keys.created-one', { system: form.system ?? '' }), key, '/keys')
}

function shownOnce({ t }: Visit, title: string, secret: string, back: string): Shown {
  return {
    title,
    body: html`<div class="said wait"><p>${t('secret.once')}</p><pre>${secret}</pre></div><p><a href="/console${back}">${t('back')}</a></p>`,
  }
}

export const revokeKey: Answer = async (visit) => {
  await visit.ask('POST /keys/:id/revoke', { params: visit.params })
  return afterAct(visit)
}

export const users: Answer = async (visit) => {
  const { t } = visit
  const { users: all } = await visit.ask<{ users: ConsoleUser[] }>('GET /users')
  const columns = [
    { head: t('sign-in.name'), cell: ({ name }: ConsoleUser) => name },
    { head: t('role'), cell: ({ role }: ConsoleUser) => t(`role.${role}`) },
    { head: t('keys.created'), cell: (one: ConsoleUser) => html`${time(visit, one.createdAt)} ${one.createdBy}` },
    {
      head: t('state'),
      cell: ({ disabledAt }: ConsoleUser) =>
        disabledAt === null ? badge('good', t('users.may')) : badge('plain', t('users.disabled')),
    },
    {
      head: t('act.column'),
      cell: ({ name, disabledAt }: ConsoleUser) => {
        const params = { name }
        return html`<div class="actions">${act(visit, { route: 'POST /users/:name/password', params, words: 'users.password', of: name })}${disabledAt === null && name !== visit.user.name ? act(visit, { route: 'POST /users/:name/disable', params, words: 'users.disable', of: name }) : ''}</div>`
      },
    },
  ]
  const inputs = [
    { name: 'name', label: t('sign-in.name'), required: true as const },
    { name: 'role', label: t('role'), options: ROLES.map((role) => [role, t(`role.${role}`)] as const) },
  ]
  return {
    title: t('users.title'),
    body: html`${table(t('users.title'), columns, all, '')}
${section('add', t('users.add'), actForm(visit, { route: 'POST /users', words: 'users.add', inputs, reason: 'none' }))}`,
  }
}

export const addUser: Answer = async (visit) => {
  const { name = '', role = '' } = visit.form
  const password = makePassword()
  await visit.ask('POST /users', { asked: { name: name.trim(), role, password } })
  return shownOnce(visit, visit.t('users.password-of', { name: name.trim() }), password, '/users')
}

export const newPassword: Answer = async (visit) => {
  const { params } = visit
  const password = makePassword()
  await visit.ask('POST /users/:name/password', { params, asked: { password } })
  return shownOnce(visit, visit.t('users.password-of', { name: params.name ?? '' }), password, '/users')
}

export const disableUser: Answer = async (visit) => {
  await visit.ask('POST /users/:name/disable', { params: visit.params })
  return afterAct(visit)
}
