export class SquareBoard {
}
