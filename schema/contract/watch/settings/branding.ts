import { z } from 'zod'

export const Theme = z.enum(['dark', 'light', 'auto']).meta({
	description: "`auto` follows the preference of the viewer's device",
})
export type Theme = z.infer<typeof Theme>

/** A color in lower case, as it is stored. */
export const Color = z.string().regex(/^#[0-9a-f]{6}$/)

/** Accepts upper case, too. */
export const NewColor = z
	.string()
	.regex(/^#[0-9a-fA-F]{6}$/, 'must be a color such as #4f46e5')
	.toLowerCase()

export const Branding = z
	.object({
		primaryColor: Color,
		theme: Theme,
		logoUrl: z.string().nullable().meta({ description: 'An absolute URL, which changes with the logo' }),
	})
	.meta({ id: 'Branding', description: 'How an organization presents itself in the player' })
export type Branding = z.infer<typeof Branding>

export const PlayerDefaults = z
	.object({
		autoplay: z.boolean().meta({ description: 'Browsers start videos by themselves only if they are muted' }),
		muted: z.boolean(),
		captions: z.boolean().meta({ description: 'Whether captions are shown from the start' }),
		controls: z.boolean().meta({ description: 'Whether the player shows its controls' }),
	})
	.meta({ id: 'PlayerDefaults', description: 'How the player starts unless its address says otherwise' })
export type PlayerDefaults = z.infer<typeof PlayerDefaults>
