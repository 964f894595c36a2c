ALTER TABLE `images` ADD `reactions` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `post_comments` ADD `reactions` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `posts` ADD `reactions` text DEFAULT '{}' NOT NULL;