import { ROLES } from '../../domain/role.ts'
import { makePassword } from '../../lib/password.ts'
import type { ConsoleUser } from '../../storage/rows.ts'
import { html } from '../html.ts'
import { act, actForm, badge, section, table, time } from '../parts.ts'
import type { Answer } from '../visit.ts'
import { afterAct } from './acts.ts'
import { shownOnce } from './keys.ts'

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
