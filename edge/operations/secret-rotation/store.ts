import { and, asc, eq, gt, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { AnySQLiteColumn } from 'drizzle-orm/sqlite-core'
import { orgInvitations } from '#schema/tables/accounts/identity.ts'
import { totpSecrets } from '#schema/tables/accounts/second-factor.ts'
import { webhookEndpoints } from '#schema/tables/accounts/webhooks.ts'
import { aiEngines } from '#schema/tables/ai/providers.ts'
import { communityIdentityProviders, communityInvitations } from '#schema/tables/community/community.ts'
import { accountDeletionRequests as requests } from '#schema/tables/operations/account-deletion.ts'
import { dataKeys } from '#schema/tables/platform.ts'
import { formatKeyPlace } from '../../ai/providers/settings/key-seal.ts'
import { formatSecretPlace } from '../../community/identity-providers/secret.ts'
import type { Db } from '../../platform/database/database.ts'
import type { StoredLink } from '../../platform/tokens/link-token.ts'

export type SealedPlace =
	| 'orgInvitations'
	| 'communityInvitations'
	| 'deletionRequests'
	| 'dataKeys'
	| 'webhookSecrets'
	| 'previousWebhookSecrets'
	| 'transcriptionKeys'
	| 'languageModelKeys'
	| 'totpSecrets'
	| 'clientSecrets'

const webhookColumn = {
	webhookSecrets: webhookEndpoints.secret,
	previousWebhookSecrets: webhookEndpoints.previousSecret,
}

const purposes = { transcriptionKeys: 'transcription', languageModelKeys: 'language-model' } as const

/** Selects rows after an id that are not sealed under the key of this prefix. */
const outdated = (
	id: AnySQLiteColumn,
	afterId: string | number,
	sealed: AnySQLiteColumn,
	prefix: string,
): SQL =>
	sql`${gt(id, afterId)} and ${isNotNull(sealed)} and substr(${sealed}, 1, ${prefix.length}) <> ${prefix}`

export const sealedStore = (db: Db) => ({
	/** Returns rows to seal again, by id. `afterId` is '' for the first page. */
	async listOutdated(
		place: SealedPlace,
		prefix: string,
		afterId: string,
		limit: number,
	): Promise<StoredLink[]> {
		const rows = await (async () => {
			switch (place) {
				case 'orgInvitations': {
					const { id, nonce: sealed, tokenHash } = orgInvitations
					const which = outdated(id, afterId, sealed, prefix)
					return db
						.select({ id, sealed, tokenHash })
						.from(orgInvitations)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
				}
				case 'communityInvitations': {
					const { id, nonce: sealed, tokenHash } = communityInvitations
					const which = outdated(id, Number(afterId), sealed, prefix)
					return db
						.select({ id, sealed, tokenHash })
						.from(communityInvitations)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
				}
				case 'deletionRequests': {
					const { id, tokenNonce: sealed, cancellationTokenHash: tokenHash } = requests
					const which = outdated(id, afterId, sealed, prefix)
					return db
						.select({ id, sealed, tokenHash })
						.from(requests)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
				}
				case 'dataKeys': {
					const { name: id, sealed } = dataKeys
					const which = outdated(id, afterId, sealed, prefix)
					return db
						.select({ id, sealed, tokenHash: id })
						.from(dataKeys)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
				}
				case 'totpSecrets': {
					const { id, secret: sealed } = totpSecrets
					const which = outdated(id, afterId, sealed, prefix)
					return db
						.select({ id, sealed, tokenHash: id })
						.from(totpSecrets)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
				}
				case 'clientSecrets': {
					const { id, clientSecret: sealed, communityId, issuer, clientId } = communityIdentityProviders
					const which = outdated(id, Number(afterId), sealed, prefix)
					const providers = await db
						.select({ id, sealed, communityId, issuer, clientId })
						.from(communityIdentityProviders)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
					return providers.map((row) => ({ ...row, tokenHash: formatSecretPlace(row) }))
				}
				case 'webhookSecrets':
				case 'previousWebhookSecrets': {
					const { id } = webhookEndpoints
					const sealed = webhookColumn[place]
					const which = outdated(id, afterId, sealed, prefix)
					return db
						.select({ id, sealed, tokenHash: id })
						.from(webhookEndpoints)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
				}
				case 'transcriptionKeys':
				case 'languageModelKeys': {
					const { orgId: id, provider, purpose, sealedKey: sealed } = aiEngines
					const which = and(eq(purpose, purposes[place]), outdated(id, afterId, sealed, prefix))
					const engines = await db
						.select({ id, sealed, provider, purpose })
						.from(aiEngines)
						.where(which)
						.orderBy(asc(id))
						.limit(limit)
					return engines.map((engine) => ({
						...engine,
						tokenHash: formatKeyPlace({ ...engine, orgId: engine.id }),
					}))
				}
			}
		})()
		return rows.map(({ id, sealed, tokenHash }) => ({
			id: String(id),
			sealed: sealed ?? '',
			tokenHash: tokenHash ?? '',
		}))
	},

	/** Changes nothing if the row was written since it was read. */
	replaceStatement(place: SealedPlace, { id, sealed }: StoredLink, after: string) {
		switch (place) {
			case 'orgInvitations':
				return db
					.update(orgInvitations)
					.set({ nonce: after })
					.where(and(eq(orgInvitations.id, id), eq(orgInvitations.nonce, sealed)))
					.returning({ tokenHash: orgInvitations.tokenHash })
			case 'communityInvitations':
				return db
					.update(communityInvitations)
					.set({ nonce: after })
					.where(and(eq(communityInvitations.id, Number(id)), eq(communityInvitations.nonce, sealed)))
					.returning({ tokenHash: communityInvitations.tokenHash })
			case 'deletionRequests':
				return db
					.update(requests)
					.set({ tokenNonce: after })
					.where(and(eq(requests.id, id), eq(requests.tokenNonce, sealed)))
					.returning({ tokenHash: requests.cancellationTokenHash })
			case 'dataKeys':
				return db
					.update(dataKeys)
					.set({ sealed: after })
					.where(and(eq(dataKeys.name, id), eq(dataKeys.sealed, sealed)))
					.returning({ tokenHash: dataKeys.name })
			case 'totpSecrets':
				return db
					.update(totpSecrets)
					.set({ secret: after })
					.where(and(eq(totpSecrets.id, id), eq(totpSecrets.secret, sealed)))
					.returning({ tokenHash: totpSecrets.id })
			case 'clientSecrets':
				return db
					.update(communityIdentityProviders)
					.set({ clientSecret: after })
					.where(
						and(
							eq(communityIdentityProviders.id, Number(id)),
							eq(communityIdentityProviders.clientSecret, sealed),
						),
					)
					.returning({ tokenHash: communityIdentityProviders.issuer })
			case 'webhookSecrets':
				return db
					.update(webhookEndpoints)
					.set({ secret: after })
					.where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.secret, sealed)))
					.returning({ tokenHash: webhookEndpoints.id })
			case 'previousWebhookSecrets':
				return db
					.update(webhookEndpoints)
					.set({ previousSecret: after })
					.where(and(eq(webhookEndpoints.id, id), eq(webhookEndpoints.previousSecret, sealed)))
					.returning({ tokenHash: webhookEndpoints.id })
			case 'transcriptionKeys':
			case 'languageModelKeys':
				return db
					.update(aiEngines)
					.set({ sealedKey: after })
					.where(
						and(
							eq(aiEngines.orgId, id),
							eq(aiEngines.purpose, purposes[place]),
							eq(aiEngines.sealedKey, sealed),
						),
					)
					.returning({ tokenHash: aiEngines.orgId })
		}
	},
})
