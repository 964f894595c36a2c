import { type SQL, sql } from 'drizzle-orm'
import { toShownReaction } from '#schema/contract/community/reaction.ts'
import { images, postComments, postReactions, posts } from '#schema/tables/community/content.ts'
import type { Db } from '../../platform/database/database.ts'
import { selectShownEmoji } from './shown-emoji.ts'

export type TargetType = 'Post' | 'Comment' | 'Image'

/** The table of each kind of target with its counts, and the column of reactions that refers to it. */
export const targetKinds = {
	Post: {
		table: posts,
		counts: sql`posts.reactions`,
		column: postReactions.postId,
		reference: sql`r.post_id`,
	},
	Comment: {
		table: postComments,
		counts: sql`post_comments.reactions`,
		column: postReactions.commentId,
		reference: sql`r.comment_id`,
	},
	Image: {
		table: images,
		counts: sql`images.reactions`,
		column: postReactions.imageId,
		reference: sql`r.image_id`,
	},
} as const

const countOf = (counts: SQL, emoji: SQL) =>
	sql`coalesce((select j.value from json_each(${counts}) j where j.key = ${emoji}), 0)`

/** SQL for a JSON patch that subtracts one member; null deletes the key of a reaction that nobody has. */
const subtractionPatch = (counts: SQL, emoji: SQL) =>
	sql`json_object(${emoji}, nullif(max(${countOf(counts, emoji)} - 1, 0), 0))`

/** Returns a statement that counts a reaction instead of the former one. It must run before the reaction is stored. */
export function countReactionStatement(
	db: Db,
	{ type, id, membershipId, emoji }: { type: TargetType; id: number; membershipId: number; emoji: string },
	isAllowed: SQL,
) {
	const { table, counts, reference } = targetKinds[type]
	const own = sql`from post_reactions r where r.membership_id = ${membershipId} and ${reference} = ${id}`
	const former = sql`coalesce((select ${subtractionPatch(counts, sql`r.emoji`)} ${own}), '{}')`
	const added = sql`json_object(${emoji}, ${countOf(counts, sql`${emoji}`)} + 1)`
	return db
		.update(table)
		.set({ reactions: sql`json_patch(json_patch(${counts}, ${former}), ${added})` })
		.where(sql`id = ${id} and not exists (select 1 ${own} and r.emoji = ${emoji}) and ${isAllowed}`)
}

/** The columns that a statement which changed the counts of a target returns: these, as shown, and where the target is. */
export function countedColumns(communityId: number, type: TargetType) {
	const { name, post } = {
		Post: { name: sql`posts`, post: sql`posts.id` },
		Comment: { name: sql`post_comments`, post: sql`post_comments.post_id` },
		Image: { name: sql`images`, post: sql`images.post_id` },
	}[type]
	return {
		reactions: selectShownCounts(communityId, name).as('shown'),
		postId: sql<number>`${post}`.as('post'),
		spaceId: sql<number>`(select w.space_id from posts w where w.id = ${post})`.as('space'),
	}
}
export type Counted = { reactions: string; postId: number; spaceId: number }

/**
 * Returns statements that subtract reactions from the counts of their targets; `rows` selects their rowids. The same batch
 * then deletes them. A member has one reaction to each target, so every target is found once.
 */
export const uncountReactionsStatements = (db: Db, rows: SQL) =>
	(Object.keys(targetKinds) as TargetType[]).map((type) => uncountStatement(db, rows, type))

/** Returns a statement that subtracts reactions from the counts of targets of one type. */
export function uncountStatement(db: Db, rows: SQL, type: TargetType) {
	const { table, counts, reference } = targetKinds[type]
	return db
		.update(table)
		.set({ reactions: sql`json_patch(${counts}, ${subtractionPatch(counts, sql`gone.emoji`)})` })
		.from(
			sql`(
				select ${reference} as id, r.emoji from post_reactions r
				where r.rowid in ${rows} and ${reference} is not null
			) as gone`,
		)
		.where(sql`${table}.id = gone.id`)
}

/** SQL for the counts of a target as shown: names outside the community's set are added to `like`. */
export const selectShownCounts = (communityId: number, target: SQL): SQL<string> =>
	sql`(
		select json_group_object(n.emoji, n.count)
		from (
			select ${selectShownEmoji(communityId, sql`j.key`)} as emoji, sum(j.value) as count
			from json_each(${target}.reactions) j
			group by 1
		) n
	)`

/** Reads counts by stored reaction as those by shown reaction. */
export function viewCounts(counts: Record<string, number>): Record<string, number> {
	const shown = new Map<string, number>()
	for (const [stored, count] of Object.entries(counts)) {
		const reaction = toShownReaction(stored)
		shown.set(reaction, (shown.get(reaction) ?? 0) + count)
	}
	return Object.fromEntries(shown)
}
