import type { SQL } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Db } from '../../platform/database/database.ts'
import type { Deps } from '../../platform/deps.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'

/** Hooks for communities, injected through `Contributions`, because communities import this wing. */
export type AccountCommunities = {
	/** Closes the notification streams of a person; with `sessionId`, only those of one session. */
	closeStreams(deps: Pick<Deps, 'db' | 'env'>, userId: number, sessionId?: string): Promise<void>
	/** Marks the memberships that show the account's name for indexing, in the batch that changes the name. */
	renameStatement(
		db: Db,
		userId: number,
		condition: SQL,
		now: number,
	): RunnableQuery<{ id: number }[], 'sqlite'>
	/** Transfers the communities of organizations to a person, in the batch in which that person takes the account. */
	handOverStatements(
		work: UnitOfWork,
		of: { userId: number; orgIds: SQL; condition: SQL },
	): Record<string, BatchItem<'sqlite'>>
	/** Indexes renamed memberships after the response. */
	indexRenamed(deps: Pick<Deps, 'defer' | 'send'>, memberships: readonly { id: number }[]): void
	/** Whether an invitation token belongs to a community. */
	isInvitation(token: string): boolean
	invitations: Invitations
}

/** How accounts are created from an invitation to an organization or a community. */
export type Invitations = {
	/** Returns the address of an open invitation by its token. */
	findAddress(deps: Deps, token: string): Promise<string | undefined>
	/** Throws unless this address can accept the invitation now. */
	require(deps: Deps, token: string, email: string): Promise<unknown>
	/** Returns the statements that accept an invitation, for the batch that creates the account. */
	joinStatements(
		deps: Deps,
		token: string,
		email: string,
		userId: SQL<number>,
	): Promise<Record<string, BatchItem<'sqlite'>>>
}

declare module '../../platform/deps.ts' {
	interface Contributions {
		communities: AccountCommunities
	}
}
