ALTER TABLE `assets` ADD `transcript_key` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `subtitles_key` text;--> statement-breakpoint
ALTER TABLE `assets` ADD `transcript_language` text;