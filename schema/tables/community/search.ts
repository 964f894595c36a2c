import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row per word of a post, for search. Written by the queue after a change (edge/community/search). */
export const postTerms = sqliteTable(
	'post_terms',
	{ communityId: integer().notNull(), term: text().notNull(), postId: integer().notNull() },
	(t) => [
		primaryKey({ columns: [t.communityId, t.term, t.postId] }),
		index('post_terms_post').on(t.postId, t.term),
	],
)

/** The folded text of a post, for the substring search when no words match. */
export const postTexts = sqliteTable(
	'post_texts',
	{ postId: integer().primaryKey(), communityId: integer().notNull(), folded: text().notNull() },
	(t) => [index('post_texts_community').on(t.communityId, t.postId)],
)

/** The same for name, headline and bio of members. */
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
