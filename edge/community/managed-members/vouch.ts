import { sql } from 'drizzle-orm'
import type { VouchedMember } from '#schema/contract/community/manage/managed-members.ts'
import type { OrgCaller } from '../../http/caller.ts'
import { AppError, notFoundError } from '../../http/errors.ts'
import { randomBase62 } from '../../platform/database/ids.ts'
import type { Deps } from '../../platform/deps.ts'
import { queuePurges } from '../../platform/storage/storage-purge.ts'
import { requireCommunity } from '../communities/communities.ts'
import { findInvalidValue, indexByFieldId } from '../members/profile-values.ts'
import { profileFieldStore } from '../profile-fields/store.ts'
import { deferIndexing } from '../search/index-content.ts'
import { refusals, selectVouched, type Vouched, type Voucher } from './rows.ts'
import { storeVouched, type VouchedRow } from './store.ts'

type Person = VouchedMember & { role?: string | undefined }

/** Every statement of the batch binds the chunk. D1 limits a bound value to 2 MB and sends the batch as one message. */
const CHUNK_CHARACTERS = 250_000

/** Validates profile values and assigns a key to each person. */
async function prepare(deps: Deps, communityId: number, people: readonly Person[]): Promise<Vouched[]> {
	const needsFields = people.some(({ profileFields }) => profileFields)
	const fields = needsFields ? await profileFieldStore(deps.db).list(communityId) : []
	return people.map(({ profileFields, ...person }, index) => {
		const problem = findInvalidValue(fields, profileFields ?? {})
		if (problem !== null)
			throw new AppError('validation', people.length === 1 ? problem : `members.${index}.${problem}`)
		return {
			...person,
			key: randomBase62(22),
			...(profileFields && { profile: indexByFieldId(fields, profileFields) }),
		}
	})
}

/** Splits people into chunks whose JSON has a limited length. */
function* divide(people: readonly Vouched[]): Generator<Vouched[]> {
	let chunk: Vouched[] = []
	let characters = 0
	for (const person of people) {
		const length = JSON.stringify(person).length
		if (characters + length > CHUNK_CHARACTERS && chunk.length > 0) {
			yield chunk
			chunk = []
			characters = 0
		}
		chunk.push(person)
		characters += length
	}
	yield chunk
}

/** Adds or updates one person. Throws an error if the person is refused. */
export async function vouchForMember(
	deps: Deps,
	caller: Voucher,
	communityId: number,
	person: Person,
	onlyNew = false,
): Promise<VouchedRow & { memberId: number }> {
	await requireCommunity(deps, caller, communityId)
	const people = selectVouched(caller, communityId, await prepare(deps, communityId, [person]))
	const member = (column: string) =>
		sql<number>`(
			select v.${sql.identifier(column)} from memberships v
			where v.community_id = ${communityId} and v.sso_user_id = ${person.ssoUserId}
		)`
	const [row] = await storeVouched(
		deps.work,
		people,
		{ orgId: caller.org.id, communityId, onlyNew, isSingle: true },
		{ kind: 'community_member', id: member('id'), userId: member('user_id') },
	)
	const memberId = row?.memberId ?? null
	if (row?.refusal) throw refusedError(row)
	if (!row || memberId === null) throw notFoundError('community')
	deferIndexing(deps, 'member', memberId)
	if (person.avatarUrl !== undefined) deps.defer(queuePurges(deps))
	return { ...row, memberId }
}

function refusedError({ refusal }: VouchedRow): AppError {
	const message = refusal === null ? '' : refusals[refusal]
	if (refusal === 'no name') return new AppError('validation', message)
	if (refusal === 'key') return new AppError('forbidden', message)
	return refusal === 'group' ? notFoundError('access group') : new AppError('conflict', message)
}

/** Adds or updates many people. The sweeps index them and relay their events. */
export async function vouchForMembers(
	deps: Deps,
	caller: OrgCaller,
	communityId: number,
	people: readonly VouchedMember[],
): Promise<VouchedRow[]> {
	await requireCommunity(deps, caller, communityId)
	const rows: VouchedRow[] = []
	for (const chunk of divide(await prepare(deps, communityId, people))) {
		const selected = selectVouched(caller, communityId, chunk)
		const call = { orgId: caller.org.id, communityId, onlyNew: false, isSingle: false }
		rows.push(...(await storeVouched(deps.work, selected, call, { kind: 'community', id: communityId })))
	}
	deps.defer(queuePurges(deps))
	return rows
}
