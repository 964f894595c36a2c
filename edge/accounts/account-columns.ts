import { getTableColumns, sql } from 'drizzle-orm'
import { users } from '#schema/tables/accounts/identity.ts'

/** The address of an account, for statements that find no managed members, because those have none. */
export const accountEmail = sql<string>`${users.email}`.as('email')

export const accountColumns = { ...getTableColumns(users), email: accountEmail }
