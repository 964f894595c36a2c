import { totpSecretSeal } from '../../accounts/identity/second-factor/totp-secret.ts'
import { invitationLinks } from '../../accounts/orgs/invitations.ts'
import { webhookSecretSeal } from '../../accounts/webhooks/endpoints/secret.ts'
import { resealKey } from '../../ai/providers/settings/key-seal.ts'
import { clientSecretSeal } from '../../community/identity-providers/secret.ts'
import { communityInvitationLinks } from '../../community/invitations/invitations.ts'
import { AppError } from '../../http/errors.ts'
import { requireSecrets } from '../../http/require-secrets.ts'
import { auditStatement } from '../../platform/audit/audit.ts'
import { batch } from '../../platform/database/batch.ts'
import type { Deps } from '../../platform/deps.ts'
import { dataKeySeal } from '../../platform/tokens/data-keys.ts'
import { type LinkKind, resealLinkToken, type StoredLink } from '../../platform/tokens/link-token.ts'
import type { Secrets } from '../../platform/tokens/secrets.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { cancellationLinks } from '../account-deletion/request/token.ts'
import { resealBackups } from '../backups/keep/reseal.ts'
import { type SealedPlace, sealedStore } from './store.ts'

/** Seals a text under the current key, or returns null if no accepted key opens it. */
type Reseal = (secrets: Secrets, stored: StoredLink) => Promise<string | null>
const links =
	(kind: LinkKind): Reseal =>
	(secrets, stored) =>
		resealLinkToken(secrets, kind, stored)

/** All sealed columns of the database; the manifests of backups follow. Cursors hold an index into this list. */
const sealedPlaces: readonly [SealedPlace, Reseal][] = [
	['orgInvitations', links(invitationLinks)],
	['communityInvitations', links(communityInvitationLinks)],
	['deletionRequests', links(cancellationLinks)],
	['dataKeys', links(dataKeySeal)],
	['webhookSecrets', links(webhookSecretSeal)],
	['previousWebhookSecrets', links(webhookSecretSeal)],
	['transcriptionKeys', resealKey],
	['languageModelKeys', resealKey],
	['totpSecrets', links(totpSecretSeal)],
	['clientSecrets', links(clientSecretSeal)],
]
const PAGE = 20
/** A manifest may have megabytes. */
const BACKUPS_PAGE = 5

/**
 * Seals a page of rows or manifests under the current AUTH_SECRET. Those that neither the current nor the previous secret
 * can open are counted as lost and skipped: they predate an earlier rotation after which this was not run.
 */
export async function resealPage(deps: Deps, cursor: string | null) {
	const { db, work } = deps
	const secrets = requireSecrets(deps, 'secrets')
	const [index = 0, afterId = ''] = cursor?.split('.').map((part, i) => (i === 0 ? Number(part) : part)) ?? []
	const place = sealedPlaces[Number(index)]
	if (Number(index) === sealedPlaces.length) return resealBackupsPage(deps, secrets, String(afterId))
	if (!place) throw new AppError('validation', 'cursor: invalid; send the returned value unchanged')
	const [name, reseal] = place
	const store = sealedStore(db)
	const rows = await store.listOutdated(name, await secrets.sealPrefix(), String(afterId), PAGE)
	const statements: Replacement[] = []
	for (const row of rows) {
		const sealed = await reseal(secrets, row)
		if (sealed !== null) statements.push(store.replaceStatement(name, row, sealed))
	}
	const changed = await writeSealed(work, statements, name, cursor === null)
	const last = rows.length === PAGE ? rows.at(-1) : undefined
	return {
		resealed: changed.length,
		lost: rows.length - statements.length,
		cursor: last ? `${index}.${last.id}` : `${Number(index) + 1}.`,
	}
}

async function resealBackupsPage(deps: Deps, secrets: Secrets, afterId: string) {
	const { resealed, lost, lastId } = await resealBackups(deps, secrets, afterId, BACKUPS_PAGE)
	if (resealed > 0)
		await batch(deps.db, { entryWritten: entryStatement(deps.work, { place: 'backups', rows: resealed }) })
	return { resealed, lost, cursor: lastId === undefined ? null : `${sealedPlaces.length}.${lastId}` }
}

const entryStatement = (work: UnitOfWork, details: { place: SealedPlace | 'backups'; rows: number }) =>
	auditStatement(work, { action: 'secrets.resealed', orgId: null, details })

type Replacement = ReturnType<ReturnType<typeof sealedStore>['replaceStatement']>

/** Writes the sealed rows of a page, with an entry of the audit log. A page without rows has one only if it is the first. */
async function writeSealed(
	work: UnitOfWork,
	replacements: readonly Replacement[],
	place: SealedPlace,
	isFirstPage: boolean,
): Promise<unknown[]> {
	if (replacements.length === 0 && !isFirstPage) return []
	const { written } = await batch(work.db, {
		written: replacements,
		entryWritten: entryStatement(work, { place, rows: replacements.length }),
	})
	return written.flat()
}
