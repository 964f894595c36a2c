import { z } from 'zod'

/** The reaction that every community accepts, and the default of the specification. */
export const LIKE = 'like'

/** Longer texts are rejected before any regular expression. The longest emoji has 15 UTF-16 units. */
const MAX_LENGTH = 64

/**
 * A reaction of a community's own, such as `party_parrot` or `+1`. Counters are objects keyed by reaction, and clients
 * index them: the names that every JavaScript object has are refused.
 */
export const ReactionName = z
	.string()
	.max(32, { abort: true })
	.regex(
		/^(?!(?:constructor|__proto__)$)[a-z0-9_+-]+$/,
		'must be 1 to 32 lower-case letters, digits, _, + or -, and not constructor or __proto__',
	)

/** The characters that are letters, digits or signs without U+FE0F, and not followed by a skin tone. */
const unqualified = /(?!\p{Emoji_Presentation})\p{Emoji}(?![\uFE0F\u{1F3FB}-\u{1F3FF}])/gu

/** Returns the one form of an emoji that all fonts show in color; null unless the text is exactly one emoji. */
function canonicalEmoji(text: string): string | null {
	const qualified = text.replaceAll(unqualified, '$&\uFE0F')
	return /^\p{RGI_Emoji}$/v.test(qualified) ? qualified : null
}

/** Returns the stored form of a reaction; null if it is valid in no community. */
export function readReaction(text: string): string | null {
	if (text.length > MAX_LENGTH) return null
	return ReactionName.safeParse(text).success ? text : canonicalEmoji(text)
}

/** Checks whether a reaction is allowed only where the community's set has it. */
export const isOwnReaction = (reaction: string): boolean =>
	reaction !== LIKE && ReactionName.safeParse(reaction).success

/** Reactions were once free text. An invalid one is shown as `like`, an emoji in its canonical form. */
export const toShownReaction = (stored: string): string => readReaction(stored) ?? LIKE

export const Emoji = z
	.string()
	.max(MAX_LENGTH, { abort: true })
	.transform((text, context) => {
		const emoji = canonicalEmoji(text)
		if (emoji !== null) return emoji
		context.addIssue({ code: 'custom', message: 'must be one emoji' })
		return z.NEVER
	})

export const Reaction = z
	.string()
	.max(MAX_LENGTH, { abort: true })
	.transform((text, context) => {
		const reaction = readReaction(text)
		if (reaction !== null) return reaction
		context.addIssue({ code: 'custom', message: "must be one emoji, like, or a name of the community's set" })
		return z.NEVER
	})
