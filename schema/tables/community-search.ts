import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** Each word of a post, for search; rows are written behind the change (edge/community/search). */
export const postTerms = sqliteTable(
	'post_terms',
	{ communityId: integer().notNull(), term: text().notNull(), postId: integer().notNull() },
	(t) => [
		primaryKey({ columns: [t.communityId, t.term, t.postId] }),
		index('post_terms_post').on(t.postId, t.term),
	],
)

/** The text of a post as it is compared, for what is not found by words. */
export const postTexts = sqliteTable(
	'post_texts',
	{ postId: integer().primaryKey(), communityId: integer().notNull(), folded: text().notNull() },
	(t) => [index('post_texts_community').on(t.communityId, t.postId)],
)

/** The same for what members tell of themselves. */
export const memberTerms = sqliteTable(
	'member_terms',
	{ communityId: integer().notNull(), term: text().notNull(), membershipId: integer().notNull() },
	(t) => [
		primaryKey({ columns: [t.communityId, t.term, t.membershipId] }),
		index('member_terms_member').on(t.membershipId, t.term),
	],
)

export const memberTexts = sqliteTable(
	'member_texts',
	{ membershipId: integer().primaryKey(), communityId: integer().notNull(), folded: text().notNull() },
	(t) => [index('member_texts_community').on(t.communityId, t.membershipId)],
)
