module endwise

go 1.26
