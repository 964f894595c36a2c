import { type SQL, sql } from 'drizzle-orm'
import type { IndexContent } from '#schema/contract/messages.ts'
import { memberships } from '#schema/tables/community/community.ts'
import { posts } from '#schema/tables/community/content.ts'
import { memberTerms, memberTexts, postTerms, postTexts } from '#schema/tables/community/search.ts'
import type { Db } from '../../platform/database/database.ts'
import { insertSelect } from '../../platform/database/insert-select.ts'
import { extractSearchTerms, foldText } from '../../platform/database/search-terms.ts'
import { recordEventIfStatement } from '../../platform/outbox/outbox.ts'
import type { UnitOfWork } from '../../platform/unit-of-work.ts'
import { sweepRows } from '../../platform/work/sweep.ts'
import { followByDefaultStatement } from '../participation/default-follow-store.ts'

export type SearchSubject = IndexContent['of']

/** A `text` of null means that the content was deleted and must be removed from the index. */
type Unindexed = { communityId: number; orgId: string | null; version: number; text: string | null }

const kinds = {
	post: {
		source: posts,
		terms: postTerms,
		termId: postTerms.postId,
		texts: postTexts,
		textId: postTexts.postId,
		insertTerms: (db: Db, communityId: number, postId: number, source: SQL) =>
			insertSelect(db, postTerms, { communityId, term: sql`value`, postId }, source),
		insertText: (db: Db, communityId: number, postId: number, folded: string, source: SQL) =>
			insertSelect(db, postTexts, { postId, communityId, folded }, source),
		// Hidden posts stay indexed, because they can be restored. The visibility filter keeps them out of results.
		text: sql`
			case
				when x.deleted_at is null or x.hidden_at is not null then coalesce(x.title || ' ', '') || x.body
			end
		`,
	},
	member: {
		source: memberships,
		terms: memberTerms,
		termId: memberTerms.membershipId,
		texts: memberTexts,
		textId: memberTexts.membershipId,
		insertTerms: (db: Db, communityId: number, membershipId: number, source: SQL) =>
			insertSelect(db, memberTerms, { communityId, term: sql`value`, membershipId }, source),
		insertText: (db: Db, communityId: number, membershipId: number, folded: string, source: SQL) =>
			insertSelect(db, memberTexts, { membershipId, communityId, folded }, source),
		text: sql`
			(
				select coalesce(x.name, u.name) from users u where u.id = x.user_id
			) || ' ' || coalesce(x.headline, '') || ' ' || coalesce(x.bio, '')
		`,
	},
} as const

/** Selects the author of a post as the member `m`, and the post as `p`. */
const authorOf = (postId: number) => sql`
	from posts p
	cross join memberships m on m.community_id = p.community_id and m.user_id = p.author_id
	where p.id = ${postId} and p.deleted_at is null
`

/** Finds rows whose indexing message was lost. */
export const indexSweeps = (['post', 'member'] as const).map((of) => {
	const { id, indexAt } = kinds[of].source
	return sweepRows({ at: indexAt }, { id }, (row) => ({ type: 'community.index', of, ...row }))
})

export const indexStore = (db: Db) => ({
	async findUnindexed(of: SearchSubject, id: number): Promise<Unindexed | undefined> {
		const { source, text } = kinds[of]
		const [row] = await db.all<Unindexed>(
			sql`
				select x.community_id as communityId, c.org_id as orgId, x.updated_at as version, ${text} as text
				from ${source} x
				join communities c on c.id = x.community_id
				where x.id = ${id} and x.index_at is not null
			`,
		)
		return row
	},

	/** Writes the index of a row. Does nothing if the row changed after it was read, because that change sends a message. */
	async write(work: UnitOfWork, of: SearchSubject, id: number, row: Unindexed): Promise<void> {
		const { source, terms, termId, texts, textId, insertTerms, insertText } = kinds[of]
		const { communityId, orgId, version, text } = row
		const isUnchanged = sql`exists (
			select 1 from ${source} y where y.id = ${id} and y.updated_at = ${version} and y.index_at is not null
		)`
		const isNew = sql`${isUnchanged} and not exists (select 1 from ${texts} where ${textId} = ${id})`
		const statementsOfNewPost =
			of === 'post' && text !== null
				? [
						recordEventIfStatement(
							work,
							{ type: 'post.created', orgId, payload: { communityId, postId: id } },
							isNew,
						),
						followByDefaultStatement(db, work.now, sql`${authorOf(id)} and ${isNew}`),
					]
				: []
		await db.batch([
			db.delete(terms).where(sql`${termId} = ${id} and ${isUnchanged}`),
			...statementsOfNewPost,
			insertTerms(
				db,
				communityId,
				id,
				sql`from json_each(${JSON.stringify(extractSearchTerms(text ?? ''))}) where ${isUnchanged}`,
			).onConflictDoNothing(),
			text === null
				? db.delete(texts).where(sql`${textId} = ${id} and ${isUnchanged}`)
				: insertText(db, communityId, id, foldText(text), sql`where ${isUnchanged}`).onConflictDoUpdate({
						target: textId,
						set: { folded: sql`excluded.folded` },
					}),
			db.update(source).set({ indexAt: null }).where(sql`id = ${id} and updated_at = ${version}`),
		])
	},
})
